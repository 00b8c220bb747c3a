package httpstream

import (
	"context"
	"crypto/tls"
	"math"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
)

// Multiplexed lets a request wait while another one gets its connection, which they can share: net/http opens one for each that finds
// none, at the start and wherever the target closed the last one.
type Multiplexed struct {
	*http.Transport
	getting chan struct{} // holds a value while a request gets its connection
	single  atomic.Bool   // a connection serves one request at a time: it is not of HTTP/2
}

// Multiplex returns a transport for all requests over one connection of HTTP/2; over HTTP/1.1, each has its own.
func Multiplex(transport http.RoundTripper) http.RoundTripper {
	own, ok := transport.(*http.Transport)
	if !ok {
		return transport
	}
	return &Multiplexed{Transport: own, getting: make(chan struct{}, 1)}
}

// Shareable returns a transport whose idle connections over HTTP/1.1 all stay open.
func Shareable(transport http.RoundTripper) http.RoundTripper {
	if own := ownTransport(transport); own != nil {
		own.MaxIdleConns, own.MaxIdleConnsPerHost = 0, math.MaxInt
	}
	return transport
}

// ownTransport is the transport of net/http in another; nil for one of somebody else.
func ownTransport(transport http.RoundTripper) *http.Transport {
	switch own := transport.(type) {
	case *http.Transport:
		return own
	case *Multiplexed:
		return own.Transport
	}
	return nil
}

// RoundTrip implements [http.RoundTripper].
func (m *Multiplexed) RoundTrip(request *http.Request) (*http.Response, error) {
	if m.single.Load() {
		return m.Transport.RoundTrip(request)
	}
	ctx := request.Context()
	select {
	case m.getting <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	done := sync.OnceFunc(func() { <-m.getting })
	defer done()
	got := func(conn httptrace.GotConnInfo) {
		if secure, ok := conn.Conn.(*tls.Conn); !ok || secure.ConnectionState().NegotiatedProtocol != "h2" {
			m.single.Store(true)
		}
		done()
	}
	return m.Transport.RoundTrip(request.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: got})))
}
