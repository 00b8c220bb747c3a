// Package httpstream sends the requests of one virtual user and measures the responses, streamed ones chunk by chunk.
package httpstream

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"time"
)

// Client sends requests one after another; it is not safe for concurrent use.
type Client struct {
	transport http.RoundTripper
	buffer    []byte
	stream    *stream
	whole     wholeBody
}

// A buffer begins small, for chunks of streams, and doubles while reads fill it: there is one per virtual user.
const leastBuffer, mostBuffer = 2 << 10, 64 << 10

// NewClient returns a client over transport, which should come from [Transport]: otherwise a reset within headers is taken
// for a response that is not HTTP.
func NewClient(transport http.RoundTripper) *Client {
	return &Client{transport: transport, buffer: make([]byte, leastBuffer), stream: newStream()}
}

// Do sends a request, reads the response to the end and returns what was measured. Cancelling ctx ends it as [Cancelled].
func (c *Client) Do(ctx context.Context, request *Request) *Result {
	result := newResult(request.Sent)
	watch := startWatch(ctx, request.Limits, request.Sent)
	defer watch.stop()

	response, t := c.send(watch, request, result)
	if response == nil {
		result.E2E = result.now()
		return result
	}
	defer response.Body.Close()
	c.head(response, result)
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
func (c *Client) send(watch *watch, request *Request, result *Result) (*http.Response, *trace) {
	for {
		t := new(trace)
		ctx := httptrace.WithClientTrace(watch.ctx, t.hooks())
		response, err := c.transport.RoundTrip(request.build(ctx))
		if err == nil {
			result.TTFB = result.now()
		}
		result.Connected, result.Reused = t.connected(), t.reused.Load()
		result.Resent += t.resent()
		if err == nil {
			return response, t
		}
		if outcome, detail, ended := watch.verdict(); ended {
			result.fail(outcome, detail)
			return nil, t
		}
		if result.Resent == 0 && t.stale(err) {
			result.Resent++
			closeIdle(c.transport)
			continue
		}
		outcome, detail := sendFailure(err, t, request.URL.Scheme == "http")
		result.fail(outcome, detail)
		return nil, t
	}
}

func (c *Client) head(response *http.Response, result *Result) {
	result.Status, result.Proto, result.Bytes = response.StatusCode, response.Proto, 0
	result.RetryAfter = retryAfter(response.Header.Get("Retry-After"), time.Now())
}

// retryAfter reads the header in seconds, from either of its forms.
func retryAfter(value string, now time.Time) float64 {
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return float64(seconds)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now).Seconds())
	}
	return Unknown
}
