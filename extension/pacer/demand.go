package pacer

import (
	"math"
	"runtime"
	"time"
)

const (
	// leastReady is the number of slots that all streams of an open load have together from its start, unless its limit is lower.
	leastReady = 200
	// readyFor is for how much of the arrivals at its highest rate an open load has slots from its start, and spareFor for how
	// much of them some should wait while there are fewer than it may have.
	readyFor, spareFor = 2 * time.Second, 100 * time.Millisecond
	leastSpare         = 8
	// makers is how many virtual users of all streams make the requests of a processor: each makes one at a time, in a tenth of a
	// millisecond. A stream has leastMakers.
	makers, leastMakers = 8, 2
)

// Ready is the number of slots that the arrivals need from their start: most at the most, in a run with this number of streams. The
// others can be made when [Pacer.Demand] asks for them. A closed loop needs all.
func (s Spec) Ready(most, streams int64) int64 {
	var needed int64
	switch {
	case s.handsOver():
		return min(most, max(leastMakers, makers*int64(runtime.GOMAXPROCS(0))/max(1, streams)))
	case s.Process == Closed, s.Process == Replay && s.Trace == nil:
		return most
	case s.Process == Replay:
		most = min(most, int64(len(s.Trace.Offsets)))
		needed = s.shareOf(float64(s.Trace.mostIn(readyFor)))
	default:
		needed = s.arrivalsIn(readyFor)
	}
	return min(most, max(needed, leastReady/max(1, streams), leastSpare+min(leastSpare, needed)))
}

// arrivalsIn is the number of arrivals in a time at the highest rate of this segment.
func (s Spec) arrivalsIn(d time.Duration) int64 {
	highest := 0.0
	for _, stage := range s.Rates {
		highest = max(highest, stage.From, stage.To)
	}
	return s.shareOf(highest * d.Seconds())
}

// shareOf is the part of a number of arrivals that this segment has.
func (s Spec) shareOf(arrivals float64) int64 {
	return int64(math.Ceil(min(arrivals*s.Segment.share(), math.MaxInt32)))
}

// Demand says that so many slots are not made yet, and returns a channel that gets a value when one is needed. An arrival that
// meanwhile finds no slot waits for the load generator, not for the target.
func (p *Pacer) Demand(unmade int64) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unmade = unmade
	p.demandMore()
	return p.demand
}

// demandMore asks for a slot while few wait; mu is held.
func (p *Pacer) demandMore() {
	if p.unmade == 0 || p.exhausted || int64(len(p.waiting)) >= max(leastSpare, p.spec.arrivalsIn(spareFor)) {
		return
	}
	select {
	case p.demand <- struct{}{}:
	default:
	}
}
