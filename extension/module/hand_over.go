package module

import (
	"errors"
	"net/http"

	"assay.dev/k6/httpstream"
	"assay.dev/k6/runstate"
	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/lib"
)

// handOver sends a request that is the last of its arrival. Where virtual users hand their requests over, it does not wait for the
// response: the user takes its next arrival meanwhile.
func (e *endpoint) handOver(given sobek.Value) error {
	user := e.user
	if user.arrival == nil || !user.slot.HandsOver() || user.vu.Context().Err() != nil {
		_, err := e.sendAndRecord(given)
		return err
	}
	state := user.vu.State()
	clients, err := e.clients(state)
	if err != nil {
		return err
	}
	p, err := e.prepare(given, state)
	if err != nil {
		return err
	}
	samplesOf, slot := e.sampler(state), user.slot
	user.slot, user.arrival = nil, nil
	user.handed.Go(func() {
		defer slot.Release()
		client, r := clients.Take(), e.begin(p)
		e.exchange(user.vu.Context(), client, p.request, r)
		clients.Return(client)
		user.awaitTurnOf(p.arrival, slot)
		slot.Taken(isTaken(r))
		e.record(r, samplesOf, state)
		if r.Outcome != httpstream.Cancelled {
			user.run.Arrivals.Completed(*p.arrival)
		}
	})
	return nil
}

// clients are those of all requests of the run to the host that are handed over.
func (e *endpoint) clients(state *lib.State) (*httpstream.Pool, error) {
	if e.pool != nil {
		return e.pool, nil
	}
	if e.address == nil {
		return nil, errors.New("cannot hand a request over: its url contains a task, whose requests depend on each other; send it with send()")
	}
	base := state.Transport
	var err error
	e.pool, err = runstate.Once(e.user.run, "clients of "+e.address.Scheme+"://"+e.address.Host, func() (*httpstream.Pool, error) {
		own := func() http.RoundTripper { return e.user.routed(base) }
		if e.address.Scheme == "https" {
			return httpstream.NewPool(own), nil
		}
		all := &transports{most: 1} // connections to it serve one request at a time
		return httpstream.NewPool(func() http.RoundTripper { return all.next(own) }), nil
	})
	return e.pool, err
}
