// Package wire sends the requests of one virtual user and measures their answers, chunk by chunk where they stream.
package wire

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"time"

	"assay.dev/k6/expect"
)

// MaxKept is how much of a body that does not stream is kept for checks; the rest is read and counted.
const MaxKept = 8 << 20

// Limits bound a request; zero is no bound.
type Limits struct {
	// Stall is the longest silence.
	Stall time.Duration
	// Timeout is the longest whole request.
	Timeout time.Duration
}

// Request is one request and what its answer must look like.
type Request struct {
	// Sent is when the call began; all durations of the result count from it.
	Sent   time.Time
	Method string
	URL    *url.URL
	Header http.Header
	// Body is sent with its length; nil sends none.
	Body []byte
	// Stream measures the answer chunk by chunk.
	Stream bool
	Limits Limits
	// Status is the expected status; a stream is always expected to have 200.
	Status int
	Expect *expect.Checker
	// Items is the number of inputs for Expect; below zero when there is none to count.
	Items int
	Read  Reads
}

// Reads are paths of values that are taken from a JSON answer; nil for none.
type Reads struct {
	OutputTokens, Task, TaskState, Progress expect.Path
}

// Client sends requests one after another; it is not safe for concurrent use.
type Client struct {
	transport http.RoundTripper
	activity  *Activity
	buffer    []byte
	stream    *stream
	plain     plain
}

// NewClient returns a client over transport, which should come from [Activity.Transport] of the same activity:
// otherwise bytes of headers do not count against a stall.
func NewClient(transport http.RoundTripper, activity *Activity) *Client {
	return &Client{transport: transport, activity: activity, buffer: make([]byte, 16<<10), stream: newStream()}
}

// Do sends a request, reads its answer to the end and says how it went. Cancelling ctx ends it as [Cancelled].
func (c *Client) Do(ctx context.Context, request *Request) *Result {
	result := newResult(request.Sent)
	c.activity.touch()
	watch := startWatch(ctx, c.activity, request.Limits)
	defer watch.stop()

	response := c.send(watch, request, result)
	if response == nil {
		result.E2E = result.now()
		return result
	}
	defer response.Body.Close()
	c.head(response, result)
	if response.StatusCode == http.StatusSwitchingProtocols {
		// The body would be the other protocol, without an end.
		result.E2E = result.TTFB
		result.fail(HTTPError, "The target answered with status 101, another protocol.")
		return result
	}
	c.receive(watch, request, response, result)
	return result
}

// send returns the answer, or nil after it has set the outcome.
func (c *Client) send(watch *watch, request *Request, result *Result) *http.Response {
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
			return response
		}
		if outcome, detail, ended := watch.verdict(); ended {
			result.fail(outcome, detail)
			return nil
		}
		if result.Resent == 0 && t.stale(err) {
			result.Resent++
			closeIdle(c.transport)
			continue
		}
		outcome, detail := sendFailure(err, t, request.URL.Scheme == "http")
		result.fail(outcome, detail)
		return nil
	}
}

// build leaves GetBody unset: net/http then does not send a body again by itself.
func (r *Request) build(ctx context.Context) *http.Request {
	request := &http.Request{
		Method: r.Method, URL: r.URL, Host: r.URL.Host, Header: r.Header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	if r.Body != nil {
		request.Body = io.NopCloser(&bodyReader{rest: r.Body})
		request.ContentLength = int64(len(r.Body))
	}
	return request.WithContext(ctx)
}

type bodyReader struct{ rest []byte }

func (b *bodyReader) Read(buffer []byte) (int, error) {
	if len(b.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(buffer, b.rest)
	b.rest = b.rest[n:]
	return n, nil
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

// receive reads the body with the reader that fits, then judges what came.
func (c *Client) receive(watch *watch, request *Request, response *http.Response, result *Result) {
	streamed := request.Stream && response.StatusCode == http.StatusOK
	var reader reader
	if streamed {
		c.stream.begin(result, watch, response.Header.Get("Content-Type"))
		reader = c.stream
	} else {
		c.plain.begin()
		reader = &c.plain
		c.status(request, response, result)
	}
	if err := c.drain(response.Body, reader, result); err != nil {
		outcome, detail, ended := watch.verdict()
		if !ended {
			outcome, detail = bodyFailure(err)
		}
		result.fail(outcome, detail)
	} else if streamed {
		c.stream.judge()
	} else {
		c.plain.judge(request, result)
	}
	if result.Outcome == "" {
		result.Outcome = OK
	}
	if !streamed && result.Outcome == HTTPError && len(c.plain.body) > 0 {
		result.Detail = shorten(result.Detail+" "+excerpt(c.plain.body), maxDetail)
	}
	if streamed {
		c.stream.report()
	}
}

// status judges the status line, which comes before all else.
func (c *Client) status(request *Request, response *http.Response, result *Result) {
	want := request.Status
	if request.Stream {
		want = http.StatusOK
	}
	switch code := response.StatusCode; {
	case code == want:
	case code == http.StatusTooManyRequests:
		result.fail(RateLimited, "The target answered with status 429.")
	case code/100 == 2 && !request.Stream:
		result.fail(Contract, fmt.Sprintf("The target answered with status %d, where %d was expected.", code, want))
	default:
		result.fail(HTTPError, fmt.Sprintf("The target answered with status %d.", code))
	}
}

// reader takes the bytes of a body as they come.
type reader interface {
	read(chunk []byte, at time.Duration)
}

// drain reads to the end, so that the connection can be used again. Each read is stamped before anything looks at it.
func (c *Client) drain(body io.Reader, reader reader, result *Result) error {
	for {
		n, err := body.Read(c.buffer)
		at := result.now()
		if n > 0 {
			c.activity.touch()
			result.Bytes += int64(n)
			reader.read(c.buffer[:n], at)
		}
		if err != nil {
			result.E2E = at
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}
