package pacer

import (
	"context"
	"time"
)

// Slot is one virtual user's place in the pacer. It is not safe for concurrent use.
type Slot struct {
	pacer  *Pacer
	joined bool         // a slot of a closed loop has started
	used   bool         // it has waited for an arrival
	busy   bool         // its last arrival is under way
	lent   bool         // [Slot.Release] gives it back
	ready  chan Arrival // of the wait under way; closed when there is nothing more
	free   time.Time
}

// Slot returns a new slot.
func (p *Pacer) Slot() *Slot { return &Slot{pacer: p} }

// Next waits for the next arrival of this slot. It returns false when the schedule ends or ctx is done.
func (s *Slot) Next(ctx context.Context) (Arrival, bool) {
	if ctx.Err() != nil {
		return Arrival{}, false
	}
	s.pacer.begin()
	if !s.joined && s.pacer.spec.Process == Closed {
		s.joined = true
		if wait := s.pacer.join(); wait > 0 && !Sleep(ctx, wait) {
			return Arrival{}, false
		}
	}
	arrival, ok, ready := s.pacer.slotNext(s)
	s.busy = ok
	if ready == nil {
		if !ok {
			s.pacer.rest.release()
		}
		return arrival, ok
	}
	select {
	case arrival, ok = <-ready:
		s.busy = ok
		return arrival, ok
	case <-ctx.Done():
		s.pacer.leave(s)
		return Arrival{}, false
	}
}

// Sleep waits; it returns false, early, when ctx is done.
func Sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
