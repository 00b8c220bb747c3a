package pacer

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"assay.dev/k6/alarm"
)

// Pacer hands out the arrivals of one schedule. It starts with the first call of [Slot.Next].
type Pacer struct {
	spec     Spec
	newAlarm func() alarm.Alarm
	idle     chan struct{} // closed when nothing is left to do before the end of the scheduled time

	mu        sync.Mutex
	start     time.Time
	alarm     alarm.Alarm
	waiting   []*Slot   // free slots; the last one was freed last
	backlog   []Arrival // due arrivals without a slot
	never     []Arrival // those that never will have one
	exhausted bool      // nothing more will be due
	closed    bool
	busy      int   // slots that took an arrival and have not come back
	handed    int64 // arrivals of a closed loop, and the number of the last of them
	index     int64
	counts    Counts
}

// New checks a spec and returns its pacer.
func New(spec Spec) (*Pacer, error) {
	if err := spec.Check(); err != nil {
		return nil, err
	}
	return &Pacer{spec: spec, newAlarm: alarm.New, idle: make(chan struct{})}, nil
}

// Idle is closed when nothing more will be due and every slot has come back. k6 may continue: a run can end by MaxArrivals,
// be shorter than k6 allows, or have started at a StartAt that k6 does not know.
func (p *Pacer) Idle() <-chan struct{} { return p.idle }

// Start is when the schedule started; the zero time before.
func (p *Pacer) Start() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.start
}

// Counts returns the numbers so far.
func (p *Pacer) Counts() Counts {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.counts
}

// NotStarted returns the arrivals that were due and never started, in order: as many as were offered and not started. Call
// it after [Pacer.Close].
func (p *Pacer) NotStarted() []Arrival {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.SortedFunc(slices.Values(p.never), func(a, b Arrival) int { return cmp.Compare(a.Index, b.Index) })
}

// PhaseAt is the phase of a request that is not the first of an arrival, by the time when it is sent.
func (p *Pacer) PhaseAt(at time.Time) Phase {
	start := p.Start()
	if start.IsZero() || at.Sub(start) >= p.spec.total() {
		return Drain
	}
	return p.phase(at.Sub(start))
}

// Close stops the schedule; waiting slots get no more arrivals.
func (p *Pacer) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.closed, p.exhausted = true, true
	p.dropBacklog()
	if p.alarm != nil {
		p.alarm.Stop()
	}
	p.releaseAll()
}

// dropBacklog gives up the arrivals that found no slot in time; mu is held.
func (p *Pacer) dropBacklog() { p.never, p.backlog = append(p.never, p.backlog...), nil }

func (p *Pacer) phase(offset time.Duration) Phase {
	if offset < p.spec.Warmup {
		return Warmup
	}
	return Measure
}

// begin starts the clock; mu is held.
func (p *Pacer) begin() {
	if !p.start.IsZero() {
		return
	}
	p.start = time.Now()
	if !p.spec.StartAt.IsZero() {
		p.start = p.start.Add(p.spec.StartAt.Sub(p.start)) // keeps the monotonic reading
	}
	if p.spec.Process != Closed && !p.closed {
		p.alarm = p.newAlarm()
		go p.run(NewSchedule(p.spec), p.alarm, p.start)
	}
}

// take marks an arrival as started by a slot; free is when a slot became free for it; mu is held.
func (p *Pacer) take(slot *Slot, arrival Arrival, free time.Time) Arrival {
	arrival.Free = free
	slot.busy = true
	p.busy++
	p.counts.Started.add(arrival.Phase, 1)
	return arrival
}

// checkIdle closes idle when everything is done; mu is held.
func (p *Pacer) checkIdle() {
	if p.closed || !p.exhausted || p.busy > 0 || len(p.backlog) > 0 {
		return
	}
	select {
	case <-p.idle:
	default:
		close(p.idle)
	}
}

// nextClosed hands out an arrival of a closed loop; mu is held.
func (p *Pacer) nextClosed(slot *Slot) (Arrival, bool) {
	elapsed, index := slot.free.Sub(p.start), p.spec.Segment.next(p.index, p.handed)
	if p.closed || elapsed >= p.spec.total() || p.spec.MaxArrivals > 0 && index >= p.spec.MaxArrivals {
		p.exhausted = true
		p.checkIdle()
		return Arrival{}, false
	}
	arrival := Arrival{Index: index, Phase: p.phase(elapsed)}
	p.handed, p.index = p.handed+1, index
	p.counts.Offered.add(arrival.Phase, 1)
	return p.take(slot, arrival, slot.free), true
}

// end is the time from which nothing starts.
func (p *Pacer) end() time.Time { return p.start.Add(p.spec.total()) }

// slotNext is the part of [Slot.Next] under the lock: it returns an arrival, or a channel to wait on, or neither.
func (p *Pacer) slotNext(slot *Slot) (arrival Arrival, ok bool, ready chan Arrival) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begin()
	slot.free = time.Now()
	if slot.busy {
		slot.busy = false
		p.busy--
	}
	if p.spec.Process == Closed {
		arrival, ok = p.nextClosed(slot)
		return arrival, ok, nil
	}
	if !slot.free.Before(p.end()) {
		p.dropBacklog()
	}
	if len(p.backlog) > 0 {
		arrival = p.backlog[0]
		p.backlog = p.backlog[1:]
		return p.take(slot, arrival, slot.free), true, nil
	}
	if p.exhausted {
		p.checkIdle()
		return Arrival{}, false, nil
	}
	slot.ready = make(chan Arrival, 1)
	p.waiting = append(p.waiting, slot)
	return Arrival{}, false, slot.ready
}

// leave removes a slot whose virtual user stops from the stack. An arrival that it got meanwhile did not start.
func (p *Pacer) leave(slot *Slot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := len(p.waiting) - 1; i >= 0; i-- {
		if p.waiting[i] == slot {
			p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
			return
		}
	}
	if arrival, handed := <-slot.ready; handed {
		slot.busy = false
		p.busy--
		p.counts.Started.add(arrival.Phase, -1)
		p.never = append(p.never, arrival)
	}
}
