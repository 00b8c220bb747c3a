package module

import (
	"math"
	"net/http"
	"sync"
)

// transports are those that requests share, each with one connection over HTTP/2. It is safe for concurrent use.
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
		made := own()
		if transport, ok := made.(*http.Transport); ok {
			transport.MaxIdleConns, transport.MaxIdleConnsPerHost = 0, math.MaxInt // those of HTTP/1.1
		}
		t.made = append(t.made, made)
		return made
	}
	return t.made[t.turn%t.most]
}
