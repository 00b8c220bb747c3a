package module

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"assay.dev/k6/httpstream"
	"assay.dev/k6/record"
	"go.k6.io/k6/v2/lib"
)

// submitGrace is how long a submission in flight may continue after the run is stopped: if it were cut off, it could
// leave a task whose id is not known.
const submitGrace = 5 * time.Second

// requestContext returns the context of a request, from that of its virtual user, with which all requests but submissions
// end.
func (e *endpoint) requestContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if e.options.Op != opSubmit || ctx.Err() != nil {
		return ctx, func() {}
	}
	detached, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(submitGrace, cancel)
		context.AfterFunc(detached, func() { timer.Stop() })
	})
	return detached, func() {
		stop()
		cancel()
	}
}

// follow writes what a response says about a video task to the journal.
func (e *endpoint) follow(r *record.Record) {
	switch e.options.Op {
	case opSubmit:
		e.submitted(r)
	case opPoll, opCancel:
		if terminal(r.TaskState) {
			e.user.run.Journal.Ended(r.Task, r.TaskState)
		} else if e.options.Op == opPoll && r.TaskState == processing {
			e.user.run.Journal.GoesOn(r.Task)
		}
	}
}

func (e *endpoint) submitted(r *record.Record) {
	journal := &e.user.run.Journal
	switch {
	case r.Result.Task != "":
		if !journal.Accepted(r.ID, r.Result.Task) && r.Outcome == httpstream.OK {
			r.Outcome = httpstream.Contract
			r.Detail = httpstream.ShortDetail(fmt.Sprintf("The id %q was given to an earlier submission too.", r.Result.Task))
		}
		if terminal(r.TaskState) {
			journal.Ended(r.Result.Task, r.TaskState)
		}
	case r.Status == 0 && !r.Connected, !httpstream.MayHaveCreatedTask(r.Status):
		journal.Refused(r.ID)
	default:
		journal.Unknown(r.ID, r.Status)
	}
}

// client sends the requests of the endpoint: those to addresses that the target named have one of their own.
func (e *endpoint) client(state *lib.State) *httpstream.Client {
	if e.options.Op != opFetch {
		return e.user.httpClient(state.Transport)
	}
	if e.files == nil {
		e.files = httpstream.NewClient(e.user.measured(httpstream.FileTransport(state.Transport, e.address)))
	}
	return e.files
}

// fileRequest asks for a finished video. It has neither the API key nor any header of the user's, wherever the video is: the target
// chose the address, and may have chosen that of somebody else.
func (e *endpoint) fileRequest(c call, state *lib.State) *httpstream.Request {
	address, err := url.Parse(c.video)
	if err != nil {
		address = &url.URL{} // fails as one that cannot be fetched
	}
	options := e.user.run.Options()
	header := http.Header{"Accept": {"*/*"}, "Accept-Encoding": {"identity"}, userAgent: {state.Options.UserAgent.String}}
	leaveOut(header, options.WithoutHeader)
	return &httpstream.Request{
		Method: e.options.Method, URL: address, Header: header, Limits: options.Limits, Status: e.options.Expect.Status, File: true,
		Items: c.items,
	}
}

// processing is the state of a task that has not ended.
const processing = "processing"

func terminal(state string) bool {
	return state == "completed" || state == "failed" || state == "cancelled"
}
