package pacer

import "time"

// run walks along the schedule. It is never late because of what it waited for before: offsets are absolute.
func (p *Pacer) run(schedule *Schedule, alarm alarm, start time.Time) {
	for {
		offset, more := schedule.Next()
		if !more {
			break
		}
		if !alarm.wait(offset - time.Since(start)) {
			return
		}
		p.offer(offset, start)
	}
	if max := p.spec.MaxArrivals; max == 0 || schedule.count < max {
		if !alarm.wait(p.spec.total() - time.Since(start)) {
			return
		}
	}
	p.exhaust()
}

func (p *Pacer) offer(offset time.Duration, start time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	arrival := Arrival{Index: p.index, Phase: p.phase(offset), Scheduled: start.Add(offset)}
	p.index++
	p.counts.Offered.add(arrival.Phase, 1)
	if len(p.waiting) == 0 {
		p.backlog = append(p.backlog, arrival)
		return
	}
	last := len(p.waiting) - 1
	slot := p.waiting[last]
	p.waiting = p.waiting[:last]
	slot.ready <- p.take(slot, arrival)
}

func (p *Pacer) exhaust() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.exhausted = true
	p.releaseAll()
}

// releaseAll tells the waiting slots that there is nothing more; mu is held.
func (p *Pacer) releaseAll() {
	for _, slot := range p.waiting {
		close(slot.ready)
	}
	p.waiting = nil
}
