// Package httpstream sends the requests of one virtual user and measures the responses, streamed ones chunk by chunk.
package httpstream

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"time"

	"assay.dev/k6/route"
)

// Client sends requests one after another; it is not safe for concurrent use.
type Client struct{ *session }

// session is what requests use while they are under way: connections and buffers.
type session struct {
	transport http.RoundTripper
	direct    *direct // nil where all requests go over transport
	buffer    []byte
	stream    *stream
	whole     wholeBody
}

// A buffer begins small, for chunks of streams, and doubles while reads fill it: there is one per virtual user.
const leastBuffer, mostBuffer = 2 << 10, 64 << 10

// NewClient returns a client over transport, which should come from [Transport]: otherwise a reset within headers is taken
// for a response that is not HTTP, and a connection that does not react is not closed.
func NewClient(transport http.RoundTripper) *Client { return &Client{newSession(transport)} }

func newSession(transport http.RoundTripper) *session {
	return &session{transport: transport, direct: newDirect(transport), buffer: make([]byte, leastBuffer), stream: newStream()}
}

// patience is how long a request may take to end after its context, before its connection is closed, and then once more.
const patience = time.Second

// Do sends a request, reads the response to the end and returns what was measured. Cancelling ctx ends it as [Cancelled].
//
// It returns soon after the end of ctx or of a limit, whatever the target does: net/http writes to an HTTP/2 connection also
// while it reads a response, so a peer that reads nothing can block it. Such a connection is closed from here, and if that
// does not help, everything that the request uses is left to it.
func (c *Client) Do(ctx context.Context, request *Request) *Result {
	limits := request.Limits
	if !request.Stream {
		limits.Stall = 0 // it has no chunks to wait for
	}
	watch := startWatch(ctx, limits, request.Sent)
	defer watch.stop()
	if c.direct.takes(request) {
		return c.exchange(watch, request) // the end of ctx closes its connection
	}
	ended := make(chan *Result, 1)
	go func(s *session) { ended <- s.exchange(watch, request) }(c.session)
	select {
	case result := <-ended:
		return result
	case <-watch.ctx.Done():
	}
	for _, insist := range []func(){watch.closeConnection, c.abandon} {
		select {
		case result := <-ended:
			return result
		case <-time.After(patience):
			insist()
		}
	}
	return watch.abandoned()
}

// abandon leaves everything to the request under way, which does not end; the next one begins anew.
func (c *Client) abandon() {
	transport := c.transport
	if own := ownTransport(transport); own != nil {
		transport = own.Clone()
	}
	c.session = newSession(transport)
}

// exchange sends a request and reads its response.
func (c *session) exchange(watch *watch, request *Request) *Result {
	result := newResult(request.Sent)
	send := c.send
	if request.File {
		send = c.fetch
	}
	response, t := send(watch, request, result)
	defer t.flagLoss(result)
	if response == nil {
		result.E2E = result.now()
		return result
	}
	defer response.Body.Close()
	c.head(response, result)
	if request.Keep {
		result.Kept = &Kept{Header: response.Header}
	}
	watch.responded(result)
	if response.StatusCode == http.StatusSwitchingProtocols {
		// The body would be the other protocol, and might not end.
		result.E2E = result.TTFB
		result.fail(HTTPError, "The target returned status 101, another protocol.")
		return result
	}
	c.receive(watch, request, response, t, result)
	return result
}

// send returns the response and what is known about its connection, or nil after it has set the outcome.
func (c *session) send(watch *watch, request *Request, result *Result) (*http.Response, *trace) {
	for from := request.Sent; ; from = time.Now() {
		t := &trace{from: from}
		watch.trace.Store(t)
		response, err := c.roundTrip(watch, request, t)
		if err == nil {
			result.TTFB = result.now()
			err = c.refusedByProxy(response, request)
		}
		result.Connected, result.Reused = t.connected(), t.reused.Load()
		t.phases(result, err)
		result.Resent += t.resent()
		if err == nil {
			return response, t
		}
		if outcome, detail, ended := watch.verdict(); ended {
			if outcome == TimedOut && !request.File && t.resolving() && isName(request.URL.Hostname()) {
				result.failHere(FaultName, fmt.Sprintf("it had no address after %v", request.Limits.Timeout))
			}
			result.fail(outcome, detail)
			return nil, t
		}
		if fault := t.clientFault(err); request.blames(fault) {
			result.failHere(fault, err.Error())
			return nil, t
		}
		if result.Resent == 0 && t.stale(err) && !request.Once {
			result.Resent++
			closeIdle(c.transport)
			continue
		}
		outcome, detail := sendFailure(err, t, request.URL.Scheme == "http")
		if request.Once && t.stale(err) {
			detail += notAgain
		}
		result.fail(outcome, detail)
		return nil, t
	}
}

const notAgain = ". It had been used before; the request is not sent again on a new one, because the target may have accepted it"

func (c *session) roundTrip(watch *watch, request *Request, t *trace) (*http.Response, error) {
	if c.direct.takes(request) {
		return c.direct.roundTrip(watch, request, t)
	}
	return c.transport.RoundTrip(request.build(httptrace.WithClientTrace(watch.ctx, t.hooks())))
}

// refusedByProxy returns the refusal of a proxy that had the request, and is no part of the target; nil for a response of the target.
func (c *session) refusedByProxy(response *http.Response, request *Request) error {
	transport := ownTransport(c.transport)
	if response.StatusCode < http.StatusBadRequest || transport == nil || transport.Proxy == nil || request.URL.Scheme != "http" {
		return nil
	}
	if proxy, err := transport.Proxy(request.build(context.Background())); proxy == nil || err != nil {
		return nil
	}
	refusal := route.RefusalIn(response)
	if refusal != nil {
		_ = response.Body.Close()
	}
	return refusal
}

// isName reports whether a host has to be resolved.
func isName(host string) bool { return net.ParseIP(host) == nil }

func (c *session) head(response *http.Response, result *Result) {
	result.Status, result.Proto, result.Bytes = response.StatusCode, response.Proto, 0
	result.Date = response.Header.Get("Date")
	result.RetryAfter = retryAfter(response.Header.Get("Retry-After"), time.Now())
}

// retryAfter reads the header in seconds, from either of its forms.
func retryAfter(value string, now time.Time) float64 {
	if value = strings.TrimSpace(value); value == "" {
		return Unknown
	}
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return float64(seconds)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now).Seconds())
	}
	return Unknown
}
