// Package runstate is what the virtual users of one process share: the options, the pacer, the counters and the journal.
// The JavaScript module updates them; the output writes them to files.
package runstate

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"assay.dev/k6/health"
	"assay.dev/k6/journal"
	"assay.dev/k6/pacer"
	"assay.dev/k6/record"
	"assay.dev/k6/redact"
	"assay.dev/k6/route"
	"assay.dev/k6/sample"
	"assay.dev/k6/turns"
)

// Run is the state of one test run.
type Run struct {
	Counters health.Counters
	Journal  journal.Journal
	Arrivals Arrivals
	Sample   sample.Sample
	Turns    *turns.Turns
	Users    Users

	id       string // the beginning of each request id
	requests atomic.Int64

	sharedMu   sync.Mutex
	shared     map[string]any
	secrets    map[string]bool
	redactor   atomic.Pointer[redact.Redactor] // nil: to be made of the secrets
	dimensions map[string]int                  // of the first vectors of each model

	mu      sync.Mutex
	options *Options
	pacers  *pacer.Group
	onBegin func()
	records []func(*record.Record)
	begin   sync.Once
	told    func() (*route.Told, error) // nil: nobody tells
}

// New returns the state of a run that has not begun.
func New() *Run {
	r := &Run{id: newID(), shared: map[string]any{}, secrets: map[string]bool{}, dimensions: map[string]int{}, Turns: turns.New()}
	r.KeepSecret(route.SecretsOfProxies(os.Getenv)...)
	return r
}

// BeTold sets the function that waits until the parent of this process has told how the target is reached; call it before
// [Run.Configure].
func (r *Run) BeTold(wait func() (*route.Told, error)) { r.told = wait }

// Configure sets the options. Every virtual user calls it with the same options. The first reads the trace.
func (r *Run) Configure(options *Options, trace TraceReader) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.options != nil {
		if !reflect.DeepEqual(r.options.declared, options.declared) {
			return errors.New("cannot configure the run: another virtual user passed other options; compute them from " +
				"constants and __ENV only, so that all are the same")
		}
		return nil
	}
	if err := options.load(trace); err != nil {
		return err
	}
	var (
		told *route.Told
		err  error
	)
	if r.told != nil {
		if told, err = r.told(); err != nil {
			return err
		}
	}
	if err := options.follow(told); err != nil {
		return err
	}
	r.options = options
	return nil
}

// Once returns the value of a name, which the first caller makes.
func Once[T any](r *Run, name string, make func() (T, error)) (T, error) {
	r.sharedMu.Lock()
	defer r.sharedMu.Unlock()
	if known, ok := r.shared[name].(T); ok {
		return known, nil
	}
	value, err := make()
	if err == nil {
		r.shared[name] = value
	}
	return value, err
}

// KeepSecret adds secrets that must not be written, whichever request the target repeats them in.
func (r *Run) KeepSecret(secrets ...string) {
	r.sharedMu.Lock()
	defer r.sharedMu.Unlock()
	for _, secret := range secrets {
		if !r.secrets[secret] {
			r.secrets[secret] = true
			r.redactor.Store(nil)
		}
	}
}

// FirstDimensions returns the length of the first vectors of a model in this run: n itself for the first caller.
func (r *Run) FirstDimensions(model string, n int) int {
	r.sharedMu.Lock()
	defer r.sharedMu.Unlock()
	if first, known := r.dimensions[model]; known {
		return first
	}
	r.dimensions[model] = n
	return n
}

// Redact blanks the secrets of the run in a text.
func (r *Run) Redact(text string) string {
	redactor := r.redactor.Load()
	if redactor == nil {
		redactor = r.newRedactor()
	}
	return redactor.Text(text)
}

func (r *Run) newRedactor() *redact.Redactor {
	r.sharedMu.Lock()
	defer r.sharedMu.Unlock()
	redactor := redact.New(slices.Collect(maps.Keys(r.secrets)))
	r.redactor.Store(redactor)
	return redactor
}

// Options returns the options, nil before [Run.Configure].
func (r *Run) Options() *Options {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.options
}

// NextID returns a new request id: a UUID, which is what some services require. Its last group is the number of the request
// in the run, in hexadecimal, and all before it is a random number of the run.
func (r *Run) NextID() string {
	number := binary.BigEndian.AppendUint64(make([]byte, 0, 8), uint64(r.requests.Add(1)))
	return string(hex.AppendEncode(append(make([]byte, 0, 36), r.id...), number[2:]))
}

// newID returns all but the last group of the ids of a run: with the version and the variant of a random UUID (RFC 9562,
// section 5.4), since some services take no other.
func newID() string {
	var id [10]byte
	_, _ = rand.Read(id[:]) // never fails
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-", id[:4], id[4:6], id[6:8], id[8:])
}

// Part is the part of the run that k6 shares among its execution segments; the whole run before [Run.Configure].
func (r *Run) Part() pacer.Part {
	if options := r.Options(); options != nil {
		return options.Part
	}
	return pacer.Part{}
}

// StartPacer returns the pacer of the arrivals that the virtual users of a k6 scenario take. The first caller creates those
// of all scenarios, for its segment.
func (r *Run) StartPacer(segment pacer.Segment, scenario string) (*pacer.Pacer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.options == nil {
		return nil, errors.New("cannot hand out arrivals: configure() was not called; call it in the init context")
	}
	stream, err := r.options.stream(scenario)
	if err != nil {
		return nil, err
	}
	if r.pacers == nil {
		if r.pacers, err = r.options.pacers(segment); err != nil {
			return nil, err
		}
	}
	return r.pacers.Stream(stream), nil
}

// readyAhead is how long before the start of its schedule a run begins: virtual users then wait for their arrivals.
const readyAhead = 200 * time.Millisecond

// AwaitStart waits until the run may begin, which is at once unless the schedule has a time to start at. It returns false
// when ctx is done before.
func (r *Run) AwaitStart(ctx context.Context) bool {
	spec := &r.Options().Spec
	if spec.StartAt.IsZero() {
		return true
	}
	ahead := readyAhead
	if spec.Process == pacer.Closed {
		ahead = 0 // its virtual users wait for nothing else
	}
	left := time.Until(spec.StartAt) - ahead
	return left <= 0 || pacer.Sleep(ctx, left)
}

// Pacers returns the pacers, nil before [Run.StartPacer].
func (r *Run) Pacers() *pacer.Group {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pacers
}

// IdleFor reports whether no request is open and none is due for d from now on.
func (r *Run) IdleFor(d time.Duration) bool {
	p := r.Pacers()
	return p != nil && r.Counters.Open() == 0 && p.UntilNext() >= d
}

// RecordTo adds a function that gets the record of each request, which it must not change; call it before the first.
func (r *Run) RecordTo(add func(*record.Record)) { r.records = append(r.records, add) }

// Record passes on the record of a request: at once, and not with the samples of k6, which come in batches.
func (r *Run) Record(done *record.Record) {
	for _, add := range r.records {
		add(done)
	}
}

// OnBegin sets the function that is called once, before the clock of the run starts; see [Run.Begin].
func (r *Run) OnBegin(begin func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.onBegin = begin
}

// Begin starts the clock of the run. The first arrival and the first request call it, whichever is earlier.
func (r *Run) Begin() {
	r.begin.Do(func() {
		r.mu.Lock()
		begin := r.onBegin
		r.mu.Unlock()
		if begin != nil {
			begin()
		}
	})
}
