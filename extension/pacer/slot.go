package pacer

import (
	"context"
	"time"
)

// Slot is one virtual user's place in the pacer. It is not safe for concurrent use.
type Slot struct {
	// Turn is when the last turn of a user of a closed loop began, for those who hand out turns.
	Turn time.Time

	pacer   *Pacer
	joined  bool         // a slot of a closed loop has started
	used    bool         // it has waited for an arrival
	busy    bool         // its last arrival is under way
	lent    bool         // [Slot.Release] gives it back
	refused int          // requests in a row that the target did not take
	ready   chan Arrival // of the wait under way; closed when there is nothing more
	free    time.Time
}

// Slot returns a new slot.
func (p *Pacer) Slot() *Slot { return &Slot{pacer: p} }

// Next waits for the next arrival of this slot. It returns false when the schedule ends or ctx is done.
func (s *Slot) Next(ctx context.Context) (Arrival, bool) {
	if ctx.Err() != nil {
		return Arrival{}, false
	}
	s.pacer.begin()
	if !s.joined && !s.lent && s.pacer.spec.Process == Closed {
		s.joined = true
		if wait := s.pacer.nextJoin(); wait > 0 && !Sleep(ctx, wait) {
			return Arrival{}, false
		}
	}
	if pause := s.pause(); s.busy && pause > 0 && !Sleep(ctx, pause) {
		return Arrival{}, false
	}
	arrival, ok, ready := s.pacer.slotNext(s)
	s.busy = ok
	if ready == nil {
		if !ok {
			s.pacer.nothingMore(s)
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

// A slot of a closed loop pauses after a request that the target did not take, twice as long after each in a row: a target that is not
// reachable, or limits the rate, would otherwise be sent thousands per second.
const firstPause, longestPause = 10 * time.Millisecond, time.Second

// Taken says whether the target took a request of the arrival under way.
func (s *Slot) Taken(yes bool) {
	s.refused++
	if yes {
		s.refused = 0
	}
}

func (s *Slot) pause() time.Duration {
	if s.pacer.spec.Process != Closed || s.refused == 0 {
		return 0
	}
	return min(longestPause, firstPause<<min(s.refused-1, 10))
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
