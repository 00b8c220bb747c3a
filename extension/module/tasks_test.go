package module

import (
	"bytes"
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"assay.dev/k6/httpstream"
	"assay.dev/k6/pacer"
	"assay.dev/k6/record"
	"assay.dev/k6/runstate"
	"go.k6.io/k6/v2/lib"
)

func TestAnswersAboutTasksAreJournalled(t *testing.T) {
	for _, tt := range []struct {
		name   string
		op     string
		result httpstream.Result
		event  string // empty for none
		open   []string
	}{
		{"accepted", opSubmit, httpstream.Result{Status: 202, Connected: true, Task: "new"}, "accepted", []string{"old", "new"}},
		{"accepted with the wrong status", opSubmit, httpstream.Result{Status: 200, Connected: true, Task: "new"}, "accepted", []string{"old", "new"}},
		{"accepted and over", opSubmit, httpstream.Result{Status: 202, Connected: true, Task: "new", TaskState: "failed"}, "ended", []string{"old"}},
		{"answered without an id", opSubmit, httpstream.Result{Status: 202, Connected: true}, "unknown", []string{"old"}},
		{"answered otherwise", opSubmit, httpstream.Result{Status: 429, Connected: true}, "refused", []string{"old"}},
		{"an error of a gateway", opSubmit, httpstream.Result{Status: 504, Connected: true}, `"unknown","id":"r-1","status":504}`, []string{"old"}},
		{"an error that names the task", opSubmit, httpstream.Result{Status: 500, Connected: true, Task: "new"}, "accepted", []string{"old", "new"}},
		{"never connected", opSubmit, httpstream.Result{}, "refused", []string{"old"}},
		{"no answer", opSubmit, httpstream.Result{Connected: true}, "unknown", []string{"old"}},
		{"given the id of an earlier one", opSubmit, httpstream.Result{Outcome: httpstream.OK, Status: 202, Connected: true, Task: "old"}, "accepted", []string{"old"}},
		{"seen to go on", opPoll, httpstream.Result{Status: 200, TaskState: "processing"}, "", []string{"old"}},
		{"seen to have ended", opPoll, httpstream.Result{Status: 200, TaskState: "completed"}, "ended", nil},
		{"cancelled", opCancel, httpstream.Result{Status: 200, TaskState: "cancelled"}, "ended", nil},
		{"not cancelled", opCancel, httpstream.Result{Status: 409}, "", []string{"old"}},
		{"another operation", "chat", httpstream.Result{Status: 200, TaskState: "completed"}, "", []string{"old"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := runstate.New()
			r.Journal.Accepted("r-0", "old")
			var file bytes.Buffer
			r.Journal.WriteTo(&file, r.Redact, func(err error) { t.Error(err) })
			e := &endpoint{user: &Instance{run: r}, options: endpointOptions{Op: tt.op}}
			e.follow(&record.Record{ID: "r-1", Task: "old", Result: &tt.result})
			lines := strings.Split(strings.TrimSpace(file.String()), "\n")
			if last := lines[len(lines)-1]; !strings.Contains(last, tt.event) || (tt.event == "") != (last == "") {
				t.Errorf("journal ends with %q, want %q", last, tt.event)
			}
			if open := r.Journal.Open(); !slices.Equal(open, tt.open) {
				t.Errorf("open tasks %v, want %v", open, tt.open)
			}
		})
	}
}

func TestOnlyASubmissionUnderWayOutlivesItsVirtualUser(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e := &endpoint{options: endpointOptions{Op: opSubmit}}
	submission, release := e.requestContext(ctx)
	e.options.Op = "chat"
	chat, _ := e.requestContext(ctx)
	cancel()
	if submission.Err() != nil || chat.Err() == nil {
		t.Errorf("submission %v, chat %v", submission.Err(), chat.Err())
	}
	e.options.Op = opSubmit
	if late, _ := e.requestContext(ctx); late.Err() == nil {
		t.Error("a submission began after its virtual user was stopped")
	}
	if release(); submission.Err() == nil {
		t.Error("a released context lives on")
	}
}

func TestTheFirstRequestAfterAnArrivalIsTheOneThatWasDue(t *testing.T) {
	due := time.Now()
	at := func(ms int) time.Time { return due.Add(time.Duration(ms) * time.Millisecond) }
	for _, tt := range []struct {
		name      string
		arrival   *pacer.Arrival
		sent      time.Time
		phase     string
		scheduled time.Time
		wait, lag time.Duration
	}{
		{"a slot was free", &pacer.Arrival{Index: 3, Phase: pacer.Warmup, Scheduled: due, Free: at(-50)}, at(2), "warmup", due, 0, 2 * time.Millisecond},
		{"it waited for a slot", &pacer.Arrival{Phase: pacer.Measure, Scheduled: due, Free: at(30)}, at(31), "measure", due, 30 * time.Millisecond, time.Millisecond},
		{"a closed loop", &pacer.Arrival{Phase: pacer.Measure, Free: due}, at(1), "measure", at(1), httpstream.NotMeasured, httpstream.NotMeasured},
		{"no arrival", nil, at(5), "drain", at(5), httpstream.NotMeasured, httpstream.NotMeasured},
	} {
		e := &endpoint{user: &Instance{run: runstate.New()}}
		sent := &prepared{request: &httpstream.Request{Sent: tt.sent}, arrival: tt.arrival, first: tt.arrival != nil}
		var r record.Record
		e.place(&r, sent)
		if r.Phase != tt.phase || !r.Scheduled.Equal(tt.scheduled) || r.SlotWait != tt.wait || r.Lag != tt.lag {
			t.Errorf("%s: %s at %v, waited %v, late %v", tt.name, r.Phase, r.Scheduled.Sub(due), r.SlotWait, r.Lag)
		}
		want := int64(httpstream.Unknown)
		if tt.arrival != nil {
			want = tt.arrival.Index
		}
		if r.Arrival != want {
			t.Errorf("%s: it belongs to arrival %d, want %d", tt.name, r.Arrival, want)
		}
		sent.first = false
		if e.place(&r, sent); r.Phase != "drain" || r.Arrival != want || r.Lag != httpstream.NotMeasured {
			t.Errorf("%s: the second request is in %s, of arrival %d, late %v", tt.name, r.Phase, r.Arrival, r.Lag)
		}
	}
}

func TestASubmissionThatGetsTheIDOfAnEarlierOneDoesNotConform(t *testing.T) {
	r := runstate.New()
	e := &endpoint{user: &Instance{run: r}, options: endpointOptions{Op: opSubmit}}
	for _, tt := range []struct {
		task    string
		outcome httpstream.Outcome
		want    httpstream.Outcome
		detail  string
	}{
		{"t", httpstream.OK, httpstream.OK, ""},
		{"u", httpstream.OK, httpstream.OK, ""},
		{"t", httpstream.OK, httpstream.Contract, `The id "t" was given to an earlier submission too.`},
		{"t", httpstream.HTTPError, httpstream.HTTPError, ""}, // the first error decides
	} {
		got := &record.Record{ID: "r", Result: &httpstream.Result{Outcome: tt.outcome, Status: 202, Connected: true, Task: tt.task}}
		if e.follow(got); got.Outcome != tt.want || got.Detail != tt.detail {
			t.Errorf("%s: %s, %q; want %s, %q", tt.task, got.Outcome, got.Detail, tt.want, tt.detail)
		}
	}
}

func TestASubmissionIsSentOnce(t *testing.T) {
	r := runstate.New()
	options, err := runstate.ParseOptions([]byte(`{"schedule":{"process":"constant","rates":[{"from":1,"to":1}],"durationMs":1},"stallMs":1,"timeoutMs":1}`))
	if err == nil {
		err = r.Configure(options, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range []string{opSubmit, opPoll, opCancel, "chat"} {
		e := &endpoint{user: &Instance{run: r}, options: endpointOptions{Op: op}, address: &url.URL{Scheme: "http", Host: "target"}}
		request, err := e.request(call{body: []byte("{}")}, "id", &lib.State{})
		if err != nil || request.Once != (op == opSubmit) {
			t.Errorf("%s: once %v (%v)", op, request.Once, err)
		}
	}
}

func TestATaskThatGoesOnAfterItsCancelIsOpenAgain(t *testing.T) {
	r := runstate.New()
	e := &endpoint{user: &Instance{run: r}}
	for _, step := range []struct {
		op, state string
		open      []string
	}{
		{opSubmit, "processing", []string{"t"}},
		{opCancel, "cancelled", []string{}},
		{opCancel, "processing", []string{}}, // a cancel does not show it
		{opPoll, "unheard of", []string{}},
		{opPoll, "processing", []string{"t"}},
		{opPoll, "completed", []string{}},
	} {
		e.options.Op = step.op
		e.follow(&record.Record{ID: "r", Task: "t", Result: &httpstream.Result{Outcome: httpstream.OK, Status: 200, Task: "t", TaskState: step.state}})
		if open := r.Journal.Open(); !slices.Equal(open, step.open) {
			t.Errorf("%s, %s: open tasks %v, want %v", step.op, step.state, open, step.open)
		}
	}
}
