package pacer

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"assay.dev/k6/alarm"
)

// Pacer hands out the arrivals of one schedule. It starts with the first call of [Slot.Next].
type Pacer struct {
	spec     Spec
	newAlarm func() alarm.Alarm
	begin    func() // starts the clock at its first call; not called with mu held
	rest     *rest

	mu        sync.Mutex
	start     time.Time
	alarm     alarm.Alarm
	waiting   []*Slot   // free slots; the last one was freed last
	backlog   []Arrival // due arrivals without a slot
	never     []Arrival // those that never will have one
	exhausted bool      // nothing more will be due
	closed    bool
	numbers   stripe // of the arrivals of a closed loop
	joined    stripe // of the users of a closed loop that started
	quota     quota  // of its measured arrivals
	unmade    int64  // slots that are made when they are needed
	demand    chan struct{}
	places    places
	counts    Counts

	next atomic.Int64 // offset of the next arrival, in nanoseconds
}

// New checks a spec and returns its pacer.
func New(spec Spec) (*Pacer, error) {
	if err := spec.Check(); err != nil {
		return nil, err
	}
	p := &Pacer{spec: spec, newAlarm: alarm.New, demand: make(chan struct{}, 1)}
	p.rest = &rest{pacers: []*Pacer{p}}
	p.begin = sync.OnceFunc(func() { p.beginAt(spec.startFrom(time.Now())) })
	if spec.Process == Closed {
		p.numbers, p.joined, p.quota = stripe{segment: spec.Segment}, stripe{segment: spec.Segment}, newQuota(spec)
	}
	return p, nil
}

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

// UntilNext is the time until the next arrival is due: none in a closed loop, for ever after the last one.
func (p *Pacer) UntilNext() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.exhausted:
		return math.MaxInt64
	case p.start.IsZero(), p.spec.Process == Closed, len(p.backlog) > 0:
		return 0
	}
	return max(0, time.Duration(p.next.Load())-time.Since(p.start))
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

// beginAt starts the clock, once.
func (p *Pacer) beginAt(start time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.start = start
	p.startRampUp()
	if p.spec.Process != Closed && !p.closed {
		p.alarm = p.newAlarm()
		go p.run(NewSchedule(p.spec), p.alarm, p.start)
	}
}

// join returns the time until the next user of a closed loop starts; mu is held.
func (p *Pacer) join() time.Duration {
	if p.spec.RampUp == 0 || p.exhausted {
		return 0
	}
	offset := time.Duration(float64(p.spec.RampUp) * float64(p.joined.take()) / float64(p.spec.Users))
	return time.Until(p.start.Add(offset))
}

// take marks an arrival as started; free is when a slot became free for it; mu is held.
func (p *Pacer) take(arrival Arrival, free time.Time) Arrival {
	p.rest.busy.Add(1)
	if arrival.Free.IsZero() {
		arrival.Free = free
	}
	p.counts.Started.add(arrival.Phase, 1)
	return arrival
}

// nextJoin is join, with mu not held.
func (p *Pacer) nextJoin() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.join()
}

// nextClosed hands out an arrival of a closed loop; mu is held.
func (p *Pacer) nextClosed(slot *Slot) (Arrival, bool) {
	elapsed := slot.free.Sub(p.start)
	if p.exhausted || elapsed >= p.spec.total() {
		return Arrival{}, false
	}
	phase := p.phase(elapsed)
	if phase == Measure && !p.quota.take(p.numbers.next()) {
		p.exhausted = true
		return Arrival{}, false
	}
	arrival := Arrival{Index: p.spec.number(p.numbers.take()), Phase: phase}
	p.counts.Offered.add(arrival.Phase, 1)
	return p.take(arrival, slot.free), true
}

// nothingMore says that a slot gets no more arrivals. One that is lent goes on to the next user, which learns the same.
func (p *Pacer) nothingMore(slot *Slot) {
	if slot.lent {
		p.mu.Lock()
		p.places.give(slot)
		p.mu.Unlock()
	}
	p.rest.release()
}

// end is the time from which nothing starts.
func (p *Pacer) end() time.Time { return p.start.Add(p.spec.total()) }

// slotNext is the part of [Slot.Next] under the lock: it returns an arrival, or a channel to wait on, or neither.
func (p *Pacer) slotNext(slot *Slot) (arrival Arrival, ok bool, ready chan Arrival) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if slot.busy {
		p.rest.busy.Add(-1)
	}
	if slot.busy || slot.free.IsZero() {
		slot.free = now
	}
	if p.spec.Process == Closed {
		arrival, ok = p.nextClosed(slot)
		return arrival, ok, nil
	}
	if !now.Before(p.end()) {
		p.dropBacklog()
	}
	if len(p.backlog) > 0 {
		slot.used, arrival = true, p.backlog[0]
		p.backlog = p.backlog[1:]
		return p.take(arrival, slot.free), true, nil
	}
	if p.exhausted {
		return Arrival{}, false, nil
	}
	slot.ready = make(chan Arrival, 1)
	if slot.used {
		p.waiting = append(p.waiting, slot)
	} else {
		// Below those that have a connection. It would have been free from the start if it had been made before.
		slot.used, slot.free = true, p.start
		p.waiting = slices.Insert(p.waiting, 0, slot)
	}
	p.demandMore()
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
		p.rest.busy.Add(-1)
		p.counts.Started.add(arrival.Phase, -1)
		p.never = append(p.never, arrival)
	}
}
