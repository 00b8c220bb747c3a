package pacer

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"time"
)

// Group is the pacers of the streams of one run: the arrivals of several workloads, each with a schedule of its own. They
// start together, and number their arrivals in turn: those of stream s of n are s, s+n, s+2n and so on.
type Group struct {
	pacers []*Pacer
	begun  sync.Once
}

// NewGroup checks the specs, one per stream, and returns their pacers. All have the same warm-up, duration and start.
func NewGroup(specs []Spec) (*Group, error) {
	g, rest := &Group{}, &rest{}
	for stream, spec := range specs {
		spec.stream, spec.streams = int64(stream), int64(len(specs))
		p, err := New(spec)
		if err != nil {
			return nil, err
		}
		p.begin, p.rest = g.begin, rest
		g.pacers = append(g.pacers, p)
	}
	rest.pacers = g.pacers
	return g, nil
}

// begin starts the clock of all pacers at the first call.
func (g *Group) begin() {
	g.begun.Do(func() {
		start := g.pacers[0].spec.startFrom(time.Now())
		for _, p := range g.pacers {
			p.beginAt(start)
		}
	})
}

// Stream returns the pacer of a stream, by its position.
func (g *Group) Stream(stream int) *Pacer { return g.pacers[stream] }

// Start is when the schedules started; the zero time before.
func (g *Group) Start() time.Time { return g.pacers[0].Start() }

// PhaseAt is the phase of a request that is not the first of an arrival, by the time when it is sent.
func (g *Group) PhaseAt(at time.Time) Phase { return g.pacers[0].PhaseAt(at) }

// Counts returns the numbers so far, of all streams.
func (g *Group) Counts() (all Counts) {
	for _, p := range g.pacers {
		counts := p.Counts()
		all.Offered.sum(counts.Offered)
		all.Started.sum(counts.Started)
	}
	return all
}

// NotStarted returns the arrivals that were due and never started, in the order of their numbers. Call it after
// [Group.Close].
func (g *Group) NotStarted() (all []Arrival) {
	for _, p := range g.pacers {
		all = append(all, p.NotStarted()...)
	}
	slices.SortFunc(all, func(a, b Arrival) int { return cmp.Compare(a.Index, b.Index) })
	return all
}

// UntilNext is the time until the next arrival of any stream is due.
func (g *Group) UntilNext() time.Duration {
	soonest := time.Duration(math.MaxInt64)
	for _, p := range g.pacers {
		soonest = min(soonest, p.UntilNext())
	}
	return soonest
}

// Close stops all schedules; waiting slots get no more arrivals.
func (g *Group) Close() {
	for _, p := range g.pacers {
		p.Close()
	}
}
