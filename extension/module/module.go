// Package module is the JavaScript module k6/x/assay.
package module

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"

	"assay.dev/k6/httpstream"
	"assay.dev/k6/pacer"
	"assay.dev/k6/record"
	"assay.dev/k6/runstate"
	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib"
)

// Name is the name under which scripts import the module.
const Name = "k6/x/assay"

// Root creates one [Instance] per virtual user; all share its run.
type Root struct{ run *runstate.Run }

// New returns the module of a run.
func New(r *runstate.Run) *Root { return &Root{r} }

// NewModuleInstance implements [modules.Module].
func (r *Root) NewModuleInstance(vu modules.VU) modules.Instance {
	instance := &Instance{vu: vu, run: r.run}
	instance.exports = instance.makeExports(vu.Runtime())
	if env := vu.InitEnv(); env != nil {
		metrics, err := registerMetrics(env.Registry)
		if err != nil {
			common.Throw(vu.Runtime(), err)
		}
		instance.metrics = metrics
	}
	return instance
}

// Instance is the module in one virtual user. k6 calls it from one goroutine at a time.
type Instance struct {
	vu      modules.VU
	run     *runstate.Run
	metrics *metricSet
	exports modules.Exports

	pacer   *pacer.Pacer
	slot    *pacer.Slot    // nil where a request that was handed over has it
	handed  sync.WaitGroup // requests that were handed over
	arrival *pacer.Arrival // the one under way
	due     bool           // no request was sent for it yet
	cut     bool           // the end of the run cut it short
	client  *httpstream.Client
}

// Exports implements [modules.Instance]. k6 calls it each time that a script uses one of them, so they are created once.
func (i *Instance) Exports() modules.Exports { return i.exports }

func (i *Instance) makeExports(runtime *sobek.Runtime) modules.Exports {
	return modules.Exports{Named: map[string]any{
		"configure":     runtime.ToValue(i.configure),
		"nextArrival":   runtime.ToValue(i.native(func(sobek.FunctionCall) (sobek.Value, error) { return i.nextArrival() })),
		"scenarioThrew": runtime.ToValue(i.scenarioThrew),
		"Prompts":       runtime.ToValue(i.newPrompts),
		"Words":         runtime.ToValue(i.newWords),
		"Endpoint":      runtime.ToValue(i.newEndpoint),
		"pause":         runtime.ToValue(i.pause),
		"openTasks":     runtime.ToValue(i.run.Journal.Open),
		"streamOf":      runtime.ToValue(i.streamOf),
	}}
}

// native returns a function that scripts call without reflection, which costs more than what these functions do. An error
// is thrown.
func (i *Instance) native(function func(sobek.FunctionCall) (sobek.Value, error)) func(sobek.FunctionCall) sobek.Value {
	return func(call sobek.FunctionCall) sobek.Value {
		value, err := function(call)
		if err != nil {
			common.Throw(i.vu.Runtime(), err)
		}
		return value
	}
}

func (i *Instance) configure(given, trace sobek.Value) error {
	if i.vu.State() != nil {
		return errors.New("cannot configure the run: it has begun; call configure() in the init context, outside of functions")
	}
	data, err := asJSON(given)
	if err != nil {
		return err
	}
	options, err := runstate.ParseOptions(data)
	if err != nil {
		return err
	}
	return i.run.Configure(options, i.traceReader(trace))
}

// asJSON is JSON.stringify.
func asJSON(value sobek.Value) ([]byte, error) {
	if common.IsNullish(value) {
		return nil, errors.New("cannot read the options: there are none")
	}
	return json.Marshal(value)
}

// nextArrival returns an object, or null after the last arrival.
func (i *Instance) nextArrival() (sobek.Value, error) {
	state := i.vu.State()
	if state == nil {
		return nil, errors.New("cannot hand out an arrival in the init context; call nextArrival() in the default function")
	}
	i.completeArrival()
	if i.pacer == nil {
		segment, err := SegmentOf(state.Options, i.run.Part())
		if err == nil {
			i.pacer, err = i.run.StartPacer(segment, scenarioOf(i.vu.Context()))
		}
		if err != nil {
			i.abort(err)
			return sobek.Null(), nil
		}
	}
	arrival, ok := i.awaitArrival(i.vu.Context())
	if !ok {
		i.stopIfDone()
		i.handed.Wait()
		return sobek.Null(), nil
	}
	i.arrival, i.due, i.cut = &arrival, true, false
	if i.slot.HandsOver() {
		i.awaitTurn()
	}
	i.run.Arrivals.Started(arrival)
	return i.arrivalObject(arrival)
}

// awaitArrival waits for the next arrival; it returns false after the last one, and when the run stops.
func (i *Instance) awaitArrival(ctx context.Context) (pacer.Arrival, bool) {
	if !i.run.AwaitStart(ctx) {
		return pacer.Arrival{}, false
	}
	i.run.Begin()
	if i.slot == nil {
		if i.slot = i.pacer.Place(ctx); i.slot == nil {
			return pacer.Arrival{}, false
		}
	}
	return i.slot.Next(ctx)
}

// awaitTurn is for users of a closed loop: an arrival of an open one is due at its time, and does not wait for others.
func (i *Instance) awaitTurn() {
	if i.arrival != nil {
		i.awaitTurnOf(i.arrival, i.slot)
	}
}

func (i *Instance) awaitTurnOf(arrival *pacer.Arrival, slot *pacer.Slot) {
	if arrival.Scheduled.IsZero() {
		slot.Turn = i.run.Turns.Await(slot.Turn)
	}
}

// completeArrival ends the arrival under way, if there is one: the scenario has come to its end for it. One that the end of
// the run cut short is left open, and so ends with the run.
func (i *Instance) completeArrival() {
	arrival := i.arrival
	i.arrival = nil
	switch {
	case arrival == nil, i.cut:
	case !i.due:
		i.run.Arrivals.Completed(*arrival)
	case i.vu.Context().Err() == nil:
		i.run.Arrivals.Ended(*arrival, record.NoRequest, "")
	}
}

// scenarioThrew ends the arrival under way as one whose scenario threw.
func (i *Instance) scenarioThrew(detail string) {
	arrival := i.arrival
	i.arrival = nil
	if arrival != nil && i.vu.Context().Err() == nil {
		i.run.Arrivals.Ended(*arrival, record.Threw, httpstream.ShortDetail(i.run.Redact(detail)))
	}
}

func (i *Instance) arrivalObject(arrival pacer.Arrival) (sobek.Value, error) {
	object := i.vu.Runtime().NewObject()
	failures := []error{object.Set("index", arrival.Index), object.Set("phase", string(arrival.Phase))}
	if arrival.InputTokens > 0 {
		failures = append(failures, object.Set("inputTokens", arrival.InputTokens))
	}
	if arrival.OutputTokens > 0 {
		failures = append(failures, object.Set("outputTokens", arrival.OutputTokens))
	}
	trace, within := i.run.Options().TraceOf(arrival.Index)
	if blocks := trace.BlocksOf(within); len(blocks) > 0 {
		failures = append(failures, object.Set("blocks", blocks), object.Set("blockTokens", trace.Blocks.Tokens))
	}
	if turns := trace.TurnsOf(within); len(turns) > 0 {
		failures = append(failures, object.Set("turns", turns))
	}
	return object, errors.Join(failures...)
}

// scenarioOf is the name of the k6 scenario that the virtual user works for; empty outside of one.
func scenarioOf(ctx context.Context) string {
	if state := lib.GetScenarioState(ctx); state != nil {
		return state.Name
	}
	return ""
}

// streamOf is the position of the stream that a virtual user is for; undefined for one that may be for any.
func (i *Instance) streamOf(number int64) sobek.Value {
	if position, _, ok := i.run.StreamOf(number); ok {
		return i.vu.Runtime().ToValue(position)
	}
	return sobek.Undefined()
}

// abort ends the whole run: an error alone would only end this iteration.
func (i *Instance) abort(err error) {
	i.vu.Runtime().Interrupt(&errext.InterruptError{Reason: err.Error()})
}

// stopIfDone stops the schedule when k6 has stopped this virtual user: arrivals that are due later do not count as
// offered.
func (i *Instance) stopIfDone() {
	if p := i.run.Pacers(); p != nil && i.vu.Context().Err() != nil {
		p.Close()
	}
}

// pause waits; it returns false as soon as the run stops.
func (i *Instance) pause(ms float64) bool {
	whole := pacer.Sleep(i.vu.Context(), runstate.FromMilliseconds(ms))
	i.cut = i.cut || !whole
	return whole
}

// httpClient returns this virtual user's client.
func (i *Instance) httpClient(transport http.RoundTripper) *httpstream.Client {
	if i.client == nil {
		i.client = httpstream.NewClient(i.routed(transport))
	}
	return i.client
}

// routed returns a transport that takes the route to the target, and over which requests can be measured: one of its own for each
// call, unless the run shares connections.
func (i *Instance) routed(transport http.RoundTripper) http.RoundTripper {
	base, ok := transport.(*http.Transport)
	if !ok {
		return i.measured(transport)
	}
	own := func() http.RoundTripper { return i.measured(i.run.Options().Route.Transport(base)) }
	if most := i.run.Options().Connections; most > 0 {
		shared, _ := runstate.Once(i.run, "shared transports", func() (*transports, error) { return &transports{most: most}, nil })
		return shared.next(func() http.RoundTripper { return httpstream.Multiplex(own()) })
	}
	return own()
}

// measured returns a transport of the virtual user's own, over which requests can be measured.
func (i *Instance) measured(transport http.RoundTripper) http.RoundTripper {
	if base, ok := transport.(*http.Transport); ok {
		return httpstream.Transport(base, i.run.Options().Roots, &i.run.Counters.Network)
	}
	return transport
}
