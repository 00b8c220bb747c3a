package pacer

import (
	"context"
	"time"
)

// Slot is one virtual user's place in the pacer. It is not safe for concurrent use.
type Slot struct {
	pacer *Pacer
	ready chan Arrival // of the wait under way; closed when there is nothing more
	free  time.Time
	busy  bool
	ended bool // Next has returned that there is nothing more
}

// Slot returns a new slot.
func (p *Pacer) Slot() *Slot { return &Slot{pacer: p} }

// Next waits for the next arrival of this slot. It returns false at once when the schedule ends or ctx is done. Called
// again after that, it waits for the end of the scheduled time and then for ctx, so that a virtual user which starts again
// does not spin.
func (s *Slot) Next(ctx context.Context) (Arrival, bool) {
	if ctx.Err() != nil {
		return Arrival{}, false
	}
	arrival, ok, ready := s.pacer.slotNext(s)
	if ok {
		return arrival, true
	}
	if ready == nil {
		s.rest(ctx)
		return Arrival{}, false
	}
	select {
	case arrival, ok = <-ready:
		s.ended = !ok
		return arrival, ok
	case <-ctx.Done():
		s.pacer.leave(s)
		return Arrival{}, false
	}
}

func (s *Slot) rest(ctx context.Context) {
	if !s.ended {
		s.ended = true
		return
	}
	left := time.Until(s.pacer.end())
	if left <= 0 {
		<-ctx.Done()
		return
	}
	Sleep(ctx, left)
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
