package module

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

func TestATraceparentIsWellFormedAndNew(t *testing.T) {
	form := regexp.MustCompile(`^00-([0-9a-f]{32})-([0-9a-f]{16})-01$`)
	seen := map[string]bool{}
	for range 1000 {
		text := newTraceparent()
		parts := form.FindStringSubmatch(text)
		if parts == nil {
			t.Fatalf("%q is not of the form", text)
		}
		if strings.Contains(parts[1], parts[2]) {
			t.Errorf("%s has a span that is part of its trace", text)
		}
		for _, id := range parts[1:] {
			if seen[id] {
				t.Errorf("%s occurs twice", id)
			}
			seen[id] = true
		}
		if got := traceIDOf(http.Header{traceparent: {text}}); got != parts[1] {
			t.Errorf("the trace of %s is %q", text, got)
		}
	}
	if got := traceIDOf(http.Header{}); got != "" {
		t.Errorf("a request of no trace has %q", got)
	}
}
