package module

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"assay.dev/k6/expect"
	"assay.dev/k6/httpstream"
	"assay.dev/k6/redact"
	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/metrics"
)

// endpointOptions are the options from JavaScript; see EndpointOptions in k6-x-assay.d.ts.
type endpointOptions struct {
	Op      string            `json:"op"`
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Model   string            `json:"model"`
	// Workload is the name of the workload whose requests it sends; empty in a load of one.
	Workload string             `json:"workload"`
	Stream   bool               `json:"stream"`
	Expect   expect.Expectation `json:"expect"`
	Read     map[string]string  `json:"read"`
	// Session names the header that tells the session of a request; without a name, none is sent.
	Session session `json:"session"`
	// Checked asks for all its exchanges to be passed on, whatever share of the arrivals is.
	Checked bool `json:"checked"`
}

// endpoint is one request of the service, ready to be sent.
type endpoint struct {
	user    *Instance
	options endpointOptions
	address *url.URL // nil when it contains a task, which differs between calls
	checker *expect.Checker
	reads   httpstream.Reads
	header  http.Header
	tagsMu  sync.Mutex
	tagSets map[tagKey]*metrics.TagSet
	files   *httpstream.Client // for videos; nil before the first
	pool    *httpstream.Pool   // for requests that are handed over; nil before the first
}

// Operations that create or end video tasks.
const (
	opSubmit = "video.submit"
	opPoll   = "video.poll"
	opCancel = "video.cancel"
	opFetch  = "video.fetch"
)

var ops = []string{"chat.stream", "chat", "embeddings", opSubmit, opPoll, opCancel, opFetch, "custom", "custom.stream"}

// newEndpoint is the constructor of Endpoint.
func (i *Instance) newEndpoint(call sobek.ConstructorCall) *sobek.Object {
	runtime := i.vu.Runtime()
	e, err := i.parseEndpoint(call.Argument(0))
	if err != nil {
		common.Throw(runtime, err)
	}
	send := i.native(func(call sobek.FunctionCall) (sobek.Value, error) { return e.send(call.Argument(0)) })
	sendAll := i.native(func(call sobek.FunctionCall) (sobek.Value, error) {
		return e.sendAll(call.Argument(0), call.Argument(1))
	})
	handOver := i.native(func(call sobek.FunctionCall) (sobek.Value, error) {
		return sobek.Undefined(), e.handOver(call.Argument(0))
	})
	if err := errors.Join(call.This.Set("send", send), call.This.Set("sendAll", sendAll), call.This.Set("handOver", handOver)); err != nil {
		common.Throw(runtime, err)
	}
	return call.This
}

func (i *Instance) parseEndpoint(given sobek.Value) (*endpoint, error) {
	if i.vu.State() != nil {
		return nil, errors.New("cannot create an Endpoint: the run has begun; create it in the init context, outside of functions")
	}
	data, err := asJSON(given)
	if err != nil {
		return nil, err
	}
	e := &endpoint{user: i, tagSets: map[tagKey]*metrics.TagSet{}}
	if err := json.Unmarshal(data, &e.options); err != nil {
		return nil, fmt.Errorf("cannot read the options of an Endpoint: %w", err)
	}
	if err := e.check(); err != nil {
		return nil, fmt.Errorf("cannot create the Endpoint %s: %w", e.options.Op, err)
	}
	e.header = headerOf(e.options.Headers)
	i.run.KeepSecret(redact.OfHeader(e.header)...)
	addDefaults(e.header, e.accept())
	return e, nil
}

func (e *endpoint) check() (err error) {
	if !slices.Contains(ops, e.options.Op) {
		return fmt.Errorf("op %q is not one of %s", e.options.Op, strings.Join(ops, ", "))
	}
	if !slices.Contains([]string{http.MethodGet, http.MethodPost, http.MethodHead}, e.options.Method) {
		return fmt.Errorf("method %q is not GET, POST or HEAD", e.options.Method)
	}
	address, err := url.Parse(strings.ReplaceAll(e.options.URL, taskMark, "task"))
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return fmt.Errorf("url %q is not an absolute http or https address", e.options.URL)
	}
	if !strings.Contains(e.options.URL, taskMark) {
		e.address = address
	}
	if e.reads, err = parseReads(e.options.Read); err != nil {
		return err
	}
	e.checker, err = expect.Compile(e.options.Expect, e.reads.Paths()...)
	return err
}

// parseReads reads the paths of values by their names.
func parseReads(given map[string]string) (reads httpstream.Reads, err error) {
	places := map[string]*expect.Path{
		"input_tokens": &reads.InputTokens, "output_tokens": &reads.OutputTokens,
		"reasoning_tokens": &reads.ReasoningTokens, "cached_tokens": &reads.CachedTokens, "completion": &reads.Completion,
		"task": &reads.Task, "task_state": &reads.TaskState, "task_error": &reads.TaskError,
		"progress": &reads.Progress, "cost": &reads.Cost, "video_url": &reads.VideoURL,
	}
	for name, text := range given {
		place, known := places[name]
		if !known {
			return reads, fmt.Errorf("read has %q; it can have input_tokens, output_tokens, reasoning_tokens, cached_tokens, completion, task, task_state, task_error, progress, cost and video_url", name)
		}
		if *place, err = expect.ParsePath(text); err != nil {
			return reads, err
		}
	}
	return reads, nil
}

func (e *endpoint) accept() string {
	if e.options.Stream {
		return "text/event-stream"
	}
	return "application/json"
}
