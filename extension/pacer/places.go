package pacer

import (
	"context"
	"time"
)

// places are the slots of virtual users that hand their requests over: a user takes one for each arrival, and the request frees it
// at its end. There are as many as requests may be under way.
type places struct {
	limited bool
	unmade  int64
	spare   []*Slot      // made, and nobody's; the last one was freed last
	wanted  []chan *Slot // of users that wait for one
}

// HandsOver reports whether the slot goes with the request of its arrival, while the virtual user takes the next one.
func (s *Slot) HandsOver() bool { return s.lent }

// handsOver reports whether virtual users hand their requests over. A closed loop waits for the response, and so does a conversation.
func (s Spec) handsOver() bool {
	return s.HandsOver && s.Process != Closed && (s.Trace == nil || len(s.Trace.Turns.Starts) == 0)
}

// Limit sets how many requests that were handed over may be under way. It returns false, and changes nothing, where none are.
func (p *Pacer) Limit(most int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.spec.handsOver() {
		p.places.limited, p.places.unmade = true, most
	}
	return p.places.limited
}

// Place returns a slot for the next arrivals, which a virtual user keeps unless it hands requests over: then it needs one for each, and
// waits until there is one. Nil when ctx is done. [Slot.Release] gives it back.
func (p *Pacer) Place(ctx context.Context) *Slot {
	slot, later := p.placeNow()
	if slot != nil {
		return slot
	}
	select {
	case slot = <-later:
		return slot
	case <-ctx.Done():
		return nil
	}
}

// placeNow returns a slot, or a channel that gets one.
func (p *Pacer) placeNow() (*Slot, chan *Slot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.places.limited {
		return p.Slot(), nil
	}
	if last := len(p.places.spare) - 1; last >= 0 {
		slot := p.places.spare[last]
		p.places.spare = p.places.spare[:last]
		return slot, nil
	}
	if p.places.unmade > 0 {
		p.places.unmade--
		return &Slot{pacer: p, lent: true}, nil
	}
	later := make(chan *Slot, 1)
	p.places.wanted = append(p.places.wanted, later)
	return nil, later
}

// Release says that the arrival of a slot is over, and gives the slot to another user.
func (s *Slot) Release() {
	p := s.pacer
	p.mu.Lock()
	s.busy, s.free = false, time.Now()
	p.rest.busy.Add(-1)
	if len(p.places.wanted) > 0 {
		p.places.wanted[0] <- s
		p.places.wanted = p.places.wanted[1:]
	} else {
		p.places.spare = append(p.places.spare, s)
	}
	exhausted := p.exhausted
	p.mu.Unlock()
	if exhausted {
		p.rest.release()
	}
}

// freeSince is since when a slot has been free; the zero time where none is. Those that are not made yet would have been free from
// the start. mu is held.
func (p *Pacer) freeSince() time.Time {
	switch {
	case p.unmade > 0, p.places.unmade > 0:
		return p.start
	case len(p.places.spare) > 0:
		return p.places.spare[0].free
	case len(p.waiting) > 0:
		return p.waiting[0].free
	}
	return time.Time{}
}
