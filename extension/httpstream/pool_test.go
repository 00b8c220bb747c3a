package httpstream

import (
	"net/http"
	"testing"
)

func TestAPoolUsesTheClientAgainWhoseConnectionIsFreshest(t *testing.T) {
	made := 0
	pool := NewPool(func() http.RoundTripper { made++; return &http.Transport{} })
	first, second := pool.Take(), pool.Take()
	pool.Return(first)
	pool.Return(second)
	if pool.Take() != second || pool.Take() != first || made != 2 {
		t.Errorf("it did not take the one that was returned last, and %d were made", made)
	}
	if pool.Take() == nil || made != 3 {
		t.Errorf("%d were made, want a third when the others are in use", made)
	}
}
