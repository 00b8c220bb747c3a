package httpstream

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	"assay.dev/k6/expect"
)

// Limits bound a request; zero means no limit.
type Limits struct {
	// Stall is the longest time without data within a stream, from the first byte of its body on.
	Stall time.Duration
	// Timeout is the longest time for the complete request, streamed or not.
	Timeout time.Duration
	// Stay is how long the client waits for the complete response before it leaves: the request ends as [Left].
	Stay time.Duration
}

// Request is one request and what its response must contain.
type Request struct {
	// Sent is when the call began; all durations of the result count from it.
	Sent   time.Time
	Method string
	URL    *url.URL
	Header http.Header
	// Body is sent with its length; nil sends none.
	Body []byte
	// Stream measures the response chunk by chunk.
	Stream bool
	Limits Limits
	// Status is the expected status; a stream is always expected to have 200.
	Status int
	// Expect checks the response, and takes what Read names: it is compiled with its paths.
	Expect *expect.Checker
	// Items is the number of inputs for Expect; below zero when there are none to count.
	Items int
	Read  Reads
	// Keep keeps the response in the result.
	Keep bool
	// Text keeps the text of the response in the result.
	Text bool
	// Marker is what the prompt asks the response to begin with; empty without one. That of another request is a failure.
	Marker string
	// LeaveAfter is the number of events with content after which the client leaves the stream, by closing its connection or,
	// over HTTP/2, its stream: it ends as [Left], unless it is complete before. 0: it stays.
	LeaveAfter int
	// Once: it is not sent again where the target closed the reused connection, because it may have had it, and it starts work that costs.
	Once bool
	// File is for a file: redirects are followed, and the body is counted and not kept. Only the status is checked, and that there is
	// content. Of HEAD, the headers say how long it is.
	File bool
}

// Reads are paths of values that are taken from a JSON response; nil for none. That of CachedTokens is of the number, or of the whole usage: it is in
// prompt_tokens_details, or prompt_cache_hit_tokens (DeepSeek), or cached_tokens (Kimi).
type Reads struct {
	InputTokens, OutputTokens, ReasoningTokens, CachedTokens, Completion, Task, TaskState, TaskError, Progress, Cost, VideoURL expect.Path
}

// Positions of the values in what is taken from a response.
const (
	atInputTokens = iota
	atOutputTokens
	atReasoningTokens
	atCachedTokens
	atTask
	atTaskState
	atProgress
	atCost
	atCompletion
	atTaskError
	atVideoURL
	allReads // how many there are
)

// Paths are those that an [expect.Checker] is compiled with.
func (r Reads) Paths() []expect.Path {
	return []expect.Path{
		atInputTokens: r.InputTokens, atOutputTokens: r.OutputTokens, atReasoningTokens: r.ReasoningTokens, atCachedTokens: r.CachedTokens,
		atTask: r.Task, atTaskState: r.TaskState, atProgress: r.Progress, atCost: r.Cost, atCompletion: r.Completion, atTaskError: r.TaskError,
		atVideoURL: r.VideoURL,
	}
}

// build leaves GetBody unset, so that net/http does not send a body again by itself.
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
