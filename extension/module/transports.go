package module

import (
	"net/http"
	"sync"

	"assay.dev/k6/httpstream"
)

// transports are those that requests share. It is safe for concurrent use.
type transports struct {
	most int
	mu   sync.Mutex
	made []http.RoundTripper
	turn int
}

// next returns them in turn; own makes one.
func (t *transports) next(own func() http.RoundTripper) http.RoundTripper {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.turn++
	if len(t.made) < t.most {
		t.made = append(t.made, httpstream.Shareable(own()))
		return t.made[len(t.made)-1]
	}
	return t.made[t.turn%t.most]
}
