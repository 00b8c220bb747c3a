package module

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"

	"assay.dev/k6/httpstream"
	"assay.dev/k6/pacer"
	"assay.dev/k6/record"
	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/lib"
)

// cleanUpVU is the id of the virtual user of k6 that runs setup() and teardown(), outside of the schedule.
const cleanUpVU = 0

// taskMark is replaced with the task of a call in the url of an Endpoint.
const taskMark = "{task}"

// call is the argument of one send().
type call struct {
	body         []byte
	digests      digests
	task         string
	cancelReason record.CancelReason // empty for none
	cancelAt     string              // empty for none
	// videoSeconds and videoResolution are those of a submission; 0 and empty where they are left to the service.
	videoSeconds    int
	videoResolution string
	// leave is when the client leaves the stream, as the record has it: after leaveAfter events with content, or after stay.
	// Empty: it stays.
	leave      string
	leaveAfter int
	stay       time.Duration
	items      int
	// maxTokens is the limit of output tokens in the body; httpstream.Unknown without one.
	maxTokens int
	// inputTokens is how many tokens the inputs were made to have; httpstream.Unknown where that is not known.
	inputTokens int
	// turn and turns number a request of a conversation, from 1, of so many; 0 for any other.
	turn, turns int
	// marker is what the prompt asks the response to begin with; empty without one.
	marker string
	// video is the address of a finished video, as the target gave it.
	video string
	// text asks for the text of the response.
	text bool
	tags []record.Tag
}

// send sends one request, waits for the end of its response and records it.
func (e *endpoint) send(given sobek.Value) (sobek.Value, error) {
	r, err := e.sendAndRecord(given)
	if err != nil {
		return nil, err
	}
	return e.reply(r)
}

func (e *endpoint) sendAndRecord(given sobek.Value) (*record.Record, error) {
	run, state := e.user.run, e.user.vu.State()
	if state == nil {
		return nil, errors.New("cannot send a request in the init context; call send() in the default function, setup() or teardown()")
	}
	if run.Options() == nil {
		return nil, errors.New("cannot send a request: configure() was not called; call it in the init context")
	}
	if !e.user.due && e.user.vu.Context().Err() != nil {
		e.user.cut = true
		return neverSent(), nil
	}
	p, err := e.prepare(given, state)
	if err != nil {
		return nil, err
	}
	client := e.client(state)
	e.user.awaitTurn()
	r := e.begin(p)
	e.exchange(e.user.vu.Context(), client, p.request, r)
	if p.arrival != nil {
		e.user.slot.Taken(isTaken(r))
	}
	e.user.awaitTurn()
	e.end(r, state)
	return r, nil
}

// prepared is a request that is made, and what its record needs.
type prepared struct {
	call    call
	id      string
	request *httpstream.Request
	arrival *pacer.Arrival // that it is of; nil outside of one
	first   bool           // it is the first of the arrival, which was due
	cleanUp bool           // setup() or teardown() sends it
}

// prepare makes the request of a call.
func (e *endpoint) prepare(given sobek.Value, state *lib.State) (*prepared, error) {
	c, err := e.parseCall(given)
	if err != nil {
		return nil, err
	}
	return e.prepareCall(c, state)
}

func (e *endpoint) prepareCall(c call, state *lib.State) (*prepared, error) {
	id := e.user.run.NextID()
	request, err := e.request(c, id, state)
	if err != nil {
		return nil, err
	}
	request.Text, request.Marker, request.LeaveAfter, request.Limits.Stay = c.text, c.marker, c.leaveAfter, c.stay
	p := &prepared{c, id, request, e.user.arrival, e.user.due, state.VUID == cleanUpVU}
	if p.arrival != nil && !request.File {
		request.Keep = e.user.run.Sample.Takes(p.arrival.Index, e.options.Checked)
	}
	e.user.due = false
	e.user.run.Begin()
	return p, nil
}

// end records a request that is over.
func (e *endpoint) end(r *record.Record, state *lib.State) {
	e.user.cut = e.user.cut || r.Outcome == httpstream.Cancelled
	e.record(r, e.sampler(state), state)
}

// record passes on the record of a request that is over.
func (e *endpoint) record(r *record.Record, samplesOf sampler, state *lib.State) {
	e.user.stopIfDone()
	e.user.run.Record(r)
	if samplesOf != nil {
		samplesOf(r).push(e.user.vu.Context(), state.Samples)
	}
}

// isTaken reports whether the target took the request, or was not left to: it did not where it has no room (429, 503) or does not respond.
func isTaken(r *record.Record) bool {
	if r.Status == http.StatusTooManyRequests || r.Status == http.StatusServiceUnavailable {
		return false
	}
	return r.Status > 0 || r.Outcome == httpstream.OK || r.Outcome == httpstream.Cancelled || r.Outcome == httpstream.Left
}

// neverSent is the result of a send() that the script calls after the run has stopped. No arrival is lost with it, so
// nothing is recorded.
func neverSent() *record.Record {
	return &record.Record{Result: &httpstream.Result{
		Outcome: httpstream.Cancelled, Detail: "The run had stopped before the request was sent.",
		InputTokens: httpstream.Unknown, OutputTokens: httpstream.Unknown, Progress: math.NaN(), Cost: math.NaN(),
	}}
}

// begin returns the record of a request that is about to be sent.
func (e *endpoint) begin(p *prepared) *record.Record {
	run, c := e.user.run, p.call
	if e.options.Op == opSubmit {
		run.Journal.Submitting(p.id)
	}
	if e.options.Stream {
		run.Counters.Stream()
	}
	p.request.Sent = time.Now()
	r := &record.Record{
		ID: p.id, Op: e.options.Op, Workload: e.options.Workload, Model: e.options.Model, Tags: c.tags, Items: c.items, MaxTokens: c.maxTokens, Task: c.task,
		CancelReason: c.cancelReason, CancelAt: c.cancelAt, VideoSeconds: c.videoSeconds, VideoResolution: c.videoResolution, Leave: c.leave, RequestedInputTokens: c.inputTokens, InputDigest: c.digests.whole, PrefixDigest: c.digests.prefix, Turn: c.turn, Turns: c.turns,
	}
	if run.Options().Traceparent {
		r.TraceID = traceIDOf(p.request.Header)
	}
	e.place(r, p)
	if p.cleanUp {
		r.Phase = string(outside(run.Pacers() != nil))
	}
	run.Counters.Started()
	return r
}

// outside is the phase of what setup() or teardown() sends.
func outside(begun bool) pacer.Phase {
	if begun {
		return pacer.Drain
	}
	return pacer.Warmup
}

// exchange sends the request and completes its record. Several of one virtual user may be under way, each with its client.
func (e *endpoint) exchange(vu context.Context, client *httpstream.Client, request *httpstream.Request, r *record.Record) {
	run := e.user.run
	ctx, release := e.requestContext(vu)
	defer release()
	r.Result = client.Do(ctx, request)
	r.CheckLength(r.MaxTokens)
	e.checkDimensions(r)
	if r.Task == "" {
		r.Task = r.Result.Task
	}
	e.follow(r)
	r.Detail, r.FinishReason, r.Task = run.Redact(r.Detail), run.Redact(r.FinishReason), run.Redact(r.Task)
	r.Completion = run.Redact(r.Completion)
	run.Counters.Ended(r.Result)
	// A state of the specification gives nothing away, and without it the script would not follow the task.
	if !terminal(r.TaskState) && r.TaskState != processing {
		r.TaskState = run.Redact(r.TaskState)
	}
	if request.Keep {
		run.Sample.Add(request, r.Result)
	}
}

// place sets the arrival, the phase and the scheduled time of a record. All requests until the next nextArrival() belong to
// an arrival; the first of them is the one that was due.
func (e *endpoint) place(r *record.Record, p *prepared) {
	sent, arrival := p.request.Sent, p.arrival
	r.Scheduled, r.SlotWait, r.Lag, r.Arrival = sent, httpstream.NotMeasured, httpstream.NotMeasured, httpstream.Unknown
	if arrival != nil {
		r.Arrival = arrival.Index
	}
	if !p.first {
		r.Phase = string(pacer.Drain)
		if p := e.user.run.Pacers(); p != nil {
			r.Phase = string(p.PhaseAt(sent))
		}
		return
	}
	r.Phase = string(arrival.Phase)
	if arrival.Scheduled.IsZero() {
		return
	}
	r.Scheduled = arrival.Scheduled
	r.SlotWait = max(0, arrival.Free.Sub(arrival.Scheduled))
	r.Lag = sent.Sub(arrival.Scheduled) - r.SlotWait
	e.user.run.Counters.Lagged(r.Lag)
}

func (e *endpoint) request(c call, id string, state *lib.State) (*httpstream.Request, error) {
	options := e.user.run.Options()
	if e.options.Op == opFetch {
		return e.fileRequest(c, state), nil
	}
	address, err := e.addressOf(c.task)
	if err != nil {
		return nil, fmt.Errorf("cannot send %s: %w", e.options.Op, err)
	}
	header := requestHeaders(e.header, id, state.Options.UserAgent.String, options.WithoutHeader)
	e.addSession(header)
	if options.Traceparent {
		header[traceparent] = []string{newTraceparent()}
	}
	if c.body != nil && header["Content-Type"] == nil {
		header["Content-Type"] = []string{"application/json"}
	}
	return &httpstream.Request{
		Method: e.options.Method, URL: address, Header: header, Body: c.body, Stream: e.options.Stream, Limits: options.Limits,
		Status: e.options.Expect.Status, Expect: e.checker, Items: c.items, Read: e.reads,
		Once: e.options.Op == opSubmit,
	}, nil
}

// addressOf is the address of a request for this task.
func (e *endpoint) addressOf(task string) (*url.URL, error) {
	if e.address != nil {
		return e.address, nil
	}
	if task == "" {
		return nil, fmt.Errorf("its url contains %s and the call has no task", taskMark)
	}
	return url.Parse(strings.ReplaceAll(e.options.URL, taskMark, strings.ReplaceAll(url.QueryEscape(task), "+", "%20")))
}

// parseCall reads the fields of a call one by one: this runs for every request.
func (e *endpoint) parseCall(given sobek.Value) (c call, err error) {
	c.items, c.maxTokens, c.inputTokens = httpstream.Unknown, httpstream.Unknown, httpstream.Unknown
	if common.IsNullish(given) {
		return c, nil
	}
	object := given.ToObject(e.user.vu.Runtime())
	if body := object.Get("body"); !common.IsNullish(body) {
		if c.body, c.digests, err = e.bodyOf(body); err != nil {
			return c, err
		}
	}
	if task := object.Get("task"); !common.IsNullish(task) {
		c.task = task.String()
	}
	if e.options.Op == opFetch {
		if video := object.Get("video"); !common.IsNullish(video) {
			c.video = video.String()
		}
	}
	if e.options.Op == opSubmit {
		if seconds := object.Get("videoSeconds"); !common.IsNullish(seconds) {
			c.videoSeconds = int(seconds.ToInteger())
		}
		if resolution := object.Get("videoResolution"); !common.IsNullish(resolution) {
			c.videoResolution = resolution.String()
		}
	}
	if reason := object.Get("cancelReason"); !common.IsNullish(reason) {
		if c.cancelReason = record.CancelReason(reason.String()); !c.cancelReason.Known() {
			return c, fmt.Errorf("cannot send %s: cancelReason %q is not one of asked, given_up, clean_up", e.options.Op, c.cancelReason)
		}
	}
	if at := object.Get("cancelAt"); !common.IsNullish(at) {
		c.cancelAt = at.String()
	}
	if given := object.Get("leave"); !common.IsNullish(given) {
		given := given.ToObject(e.user.vu.Runtime())
		c.leave = given.Get("at").String()
		c.leaveAfter = int(given.Get("chunks").ToInteger())
		c.stay = time.Duration(given.Get("ms").ToFloat() * float64(time.Millisecond))
	}
	if marker := object.Get("marker"); !common.IsNullish(marker) {
		c.marker = marker.String()
	}
	if items := object.Get("items"); !common.IsNullish(items) {
		c.items = int(items.ToInteger())
	}
	if most := object.Get("maxTokens"); !common.IsNullish(most) {
		c.maxTokens = int(most.ToInteger())
	}
	if tokens := object.Get("inputTokens"); !common.IsNullish(tokens) {
		c.inputTokens = int(tokens.ToInteger())
	}
	if turn := object.Get("turn"); !common.IsNullish(turn) {
		c.turn = int(turn.ToInteger())
	}
	if text := object.Get("text"); !common.IsNullish(text) {
		c.text = text.ToBoolean()
	}
	if turns := object.Get("turns"); !common.IsNullish(turns) {
		c.turns = int(turns.ToInteger())
	}
	if tags := object.Get("tags"); !common.IsNullish(tags) {
		tags := tags.ToObject(e.user.vu.Runtime())
		for _, name := range tags.Keys() {
			c.tags = append(c.tags, record.Tag{Name: name, Value: tags.Get(name).String()})
		}
	}
	return c, nil
}

func (e *endpoint) reply(r *record.Record) (sobek.Value, error) {
	object := e.user.vu.Runtime().NewObject()
	failures := []error{
		object.Set("outcome", string(r.Outcome)), object.Set("status", r.Status), object.Set("id", r.ID), object.Set("detail", r.Detail),
	}
	if r.Result.Task != "" {
		failures = append(failures, object.Set("task", r.Result.Task))
	}
	if r.TaskState != "" {
		failures = append(failures, object.Set("task_state", r.TaskState))
	}
	if r.VideoURL != "" {
		failures = append(failures, object.Set("video_url", r.VideoURL))
	}
	if !math.IsNaN(r.Progress) {
		failures = append(failures, object.Set("progress", r.Progress))
	}
	if r.OutputTokens != httpstream.Unknown {
		failures = append(failures, object.Set("output_tokens", r.OutputTokens))
	}
	if r.InputTokens != httpstream.Unknown {
		failures = append(failures, object.Set("input_tokens", r.InputTokens))
	}
	if r.Text != "" {
		failures = append(failures, object.Set("text", r.Text))
	}
	return object, errors.Join(failures...)
}
