package module

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"assay.dev/k6/httpstream"
	"assay.dev/k6/record"
	"assay.dev/k6/runstate"
	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/lib"
)

// mostAtOnce is how many requests of one sendAll() are under way at the same time.
const mostAtOnce = 16

// sendAll sends a request for each call, several at a time, and returns the reply to each. What is not over within the time
// is cut off; what was not sent by then is not recorded.
func (e *endpoint) sendAll(given, withinMS sobek.Value) (sobek.Value, error) {
	state := e.user.vu.State()
	if state == nil || e.user.run.Options() == nil {
		return nil, errors.New("cannot send requests in the init context; call sendAll() in teardown()")
	}
	calls, err := e.parseCalls(given)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(e.user.vu.Context(), runstate.FromMilliseconds(withinMS.ToFloat()))
	defer cancel()
	e.user.run.Begin()
	transport := e.user.routed(state.Transport)
	clients := make(chan *httpstream.Client, mostAtOnce)
	for range min(mostAtOnce, len(calls)) {
		clients <- httpstream.NewClient(transport)
	}
	var (
		under   sync.WaitGroup
		records []*record.Record
	)
	for _, c := range calls {
		var client *httpstream.Client
		select {
		case client = <-clients:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			records = append(records, neverSent())
			continue
		}
		p, err := e.prepareCall(c, state)
		if err != nil {
			under.Wait()
			return nil, err
		}
		r := e.begin(p)
		records = append(records, r)
		under.Go(func() {
			e.exchange(ctx, client, p.request, r)
			clients <- client
		})
	}
	under.Wait()
	return e.replies(records, state)
}

// parseCalls reads an array of calls.
func (e *endpoint) parseCalls(given sobek.Value) ([]call, error) {
	if common.IsNullish(given) {
		return nil, errors.New("cannot send requests: sendAll() needs an array of calls")
	}
	array := given.ToObject(e.user.vu.Runtime())
	calls := make([]call, array.Get("length").ToInteger())
	for n := range calls {
		var err error
		if calls[n], err = e.parseCall(array.Get(fmt.Sprint(n))); err != nil {
			return nil, err
		}
	}
	return calls, nil
}

// replies records the requests that were sent, and returns what the script gets of each.
func (e *endpoint) replies(records []*record.Record, state *lib.State) (sobek.Value, error) {
	replies := make([]any, len(records))
	for n, r := range records {
		if r.ID != "" {
			e.end(r, state)
		}
		reply, err := e.reply(r)
		if err != nil {
			return nil, err
		}
		replies[n] = reply
	}
	return e.user.vu.Runtime().NewArray(replies...), nil
}
