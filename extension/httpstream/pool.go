package httpstream

import (
	"net/http"
	"sync"
)

// Pool has clients for requests to one host, any number of which are under way at the same time. It is safe for concurrent use.
type Pool struct {
	transport func() http.RoundTripper

	mu   sync.Mutex
	idle []*Client // the last one was returned last
}

// NewPool returns a pool without clients. transport returns that of a new one, which should come from [Transport].
func NewPool(transport func() http.RoundTripper) *Pool { return &Pool{transport: transport} }

// Take returns a client that nobody uses, the one whose connection was used last, or a new one. [Pool.Return] gives it back.
func (p *Pool) Take() *Client {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.idle) - 1
	if last < 0 {
		return NewClient(p.transport())
	}
	client := p.idle[last]
	p.idle = p.idle[:last]
	return client
}

// Return gives a client back whose request is over.
func (p *Pool) Return(client *Client) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, client)
}
