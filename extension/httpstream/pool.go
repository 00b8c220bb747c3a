package httpstream

import (
	"math"
	"net/http"
	"sync"
)

// Pool has clients for requests to one host, any number of which are under way at the same time. It is safe for concurrent use.
type Pool struct {
	transport func() *http.Transport
	shared    *http.Transport

	mu   sync.Mutex
	idle []*Client // the last one was returned last
}

// NewPool returns a pool without clients. transport makes what [Transport] returns: once where the scheme of the host is http, else
// for each client, as a connection of HTTP/2 would otherwise serve several.
func NewPool(scheme string, transport func() *http.Transport) *Pool {
	p := &Pool{transport: transport}
	if scheme == "http" {
		p.shared = transport()
		p.shared.MaxIdleConns, p.shared.MaxIdleConnsPerHost = 0, math.MaxInt
	}
	return p
}

// Take returns a client that nobody uses, whose connection was used last, or a new one. [Pool.Return] gives it back.
func (p *Pool) Take() *Client {
	p.mu.Lock()
	if last := len(p.idle) - 1; last >= 0 {
		client := p.idle[last]
		p.idle = p.idle[:last]
		p.mu.Unlock()
		return client
	}
	p.mu.Unlock()
	if p.shared != nil {
		return NewClient(p.shared)
	}
	return NewClient(p.transport())
}

// Return gives a client back whose request is over.
func (p *Pool) Return(client *Client) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, client)
}
