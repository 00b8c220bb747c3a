package pacer

import (
	"math"
	"time"

	"assay.dev/k6/alarm"
)

// run offers the arrivals of the schedule. Delays do not add up, because offsets are absolute.
func (p *Pacer) run(schedule *Schedule, clock alarm.Alarm, start time.Time) {
	for {
		due, more := schedule.Next()
		if !more {
			break
		}
		p.next.Store(int64(due.Offset))
		if !clock.Wait(due.Offset - time.Since(start)) {
			return
		}
		p.offer(due, start)
	}
	p.next.Store(math.MaxInt64)
	if !schedule.bounded && !clock.Wait(p.spec.total()-time.Since(start)) {
		return
	}
	p.exhaust()
}

func (p *Pacer) offer(due Due, start time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	arrival := Arrival{
		Index: p.spec.number(due.Index), Phase: p.phase(due.Offset), Scheduled: start.Add(due.Offset),
		InputTokens: due.InputTokens, OutputTokens: due.OutputTokens,
		// When the offer is late, the slot that gets it may have become free only after it was due; another one was free before.
		Free: p.freeSince(),
	}
	p.counts.Offered.add(arrival.Phase, 1)
	defer p.demandMore()
	if len(p.waiting) == 0 {
		p.backlog = append(p.backlog, arrival)
		return
	}
	last := len(p.waiting) - 1
	slot := p.waiting[last]
	p.waiting = p.waiting[:last]
	slot.ready <- p.take(arrival, slot.free)
}

func (p *Pacer) exhaust() {
	p.mu.Lock()
	p.exhausted = true
	p.mu.Unlock()
	p.rest.release()
}

// releaseAll ends the wait of all slots; mu is held.
func (p *Pacer) releaseAll() {
	for _, slot := range p.waiting {
		close(slot.ready)
	}
	p.waiting = nil
}
