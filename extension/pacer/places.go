package pacer

import (
	"context"
	"time"
)

// places are the slots of virtual users that hand their requests over: a user takes one for each arrival, and the request frees it
// at its end. There are as many as requests may be under way; those of a closed loop are its users.
type places struct {
	limited bool
	unmade  int64
	spare   []*Slot      // made, and nobody's; the last one was freed last
	wanted  []chan *Slot // of users that wait for one
}

// HandsOver reports whether the slot goes with the request of its arrival, while the virtual user takes the next one.
func (s *Slot) HandsOver() bool { return s.lent }

// handsOver reports whether virtual users hand their requests over. A conversation waits for the response.
func (s Spec) handsOver() bool {
	return s.HandsOver && (s.Trace == nil || len(s.Trace.Turns.Starts) == 0)
}

// Limit sets how many requests that were handed over may be under way. It returns false, and changes nothing, where none are.
func (p *Pacer) Limit(most int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.spec.handsOver() {
		p.places.limited, p.places.unmade = true, most
		p.startRampUp()
	}
	return p.places.limited
}

// startRampUp gives the users of a closed loop their places one after another, once the clock runs and they are known: [Pacer.Limit] and
// the start of the clock call it once each, in any order. mu is held.
func (p *Pacer) startRampUp() {
	if p.spec.RampUp > 0 && p.places.limited && !p.start.IsZero() {
		time.AfterFunc(p.join(), p.admit)
	}
}

func (p *Pacer) admit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.places.unmade == 0 {
		return
	}
	p.places.give(p.newPlace())
	time.AfterFunc(p.join(), p.admit)
}

func (p *Pacer) newPlace() *Slot {
	p.places.unmade--
	return &Slot{pacer: p, lent: true}
}

// Place returns a slot for the next arrivals, which a virtual user keeps unless it hands requests over: then it needs one for each, and
// waits until there is one. Nil when ctx is done. [Slot.Release] gives it back.
func (p *Pacer) Place(ctx context.Context) *Slot {
	if p.spec.Process == Closed {
		p.begin()
	}
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
	if slot := p.takePlace(); slot != nil {
		return slot, nil
	}
	later := make(chan *Slot, 1)
	p.places.wanted = append(p.places.wanted, later)
	return nil, later
}

// takePlace returns a slot that nobody has, if there is one: of an open loop the one that has a connection and was freed last, of a
// closed loop the one that has waited longest. A ramp-up makes its own. mu is held.
func (p *Pacer) takePlace() *Slot {
	isClosed, spare := p.spec.Process == Closed, p.places.spare
	last := len(spare) - 1
	switch {
	case p.places.unmade > 0 && p.spec.RampUp == 0 && (isClosed || last < 0):
		return p.newPlace()
	case last < 0:
		return nil
	case isClosed:
		p.places.spare = spare[1:]
		return spare[0]
	}
	p.places.spare = spare[:last]
	return spare[last]
}

// give hands a slot to a user that waits for one.
func (p *places) give(slot *Slot) {
	if len(p.wanted) == 0 {
		p.spare = append(p.spare, slot)
		return
	}
	p.wanted[0] <- slot
	p.wanted = p.wanted[1:]
}

// Release says that the arrival of a slot is over, and gives the slot to another user, in a closed loop after its pause.
func (s *Slot) Release() {
	if pause := s.pause(); pause > 0 && s.pacer.goesOn() {
		time.AfterFunc(pause, s.release)
		return
	}
	s.release()
}

func (s *Slot) release() {
	p := s.pacer
	p.mu.Lock()
	s.busy, s.free = false, time.Now()
	p.rest.busy.Add(-1)
	p.places.give(s)
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
