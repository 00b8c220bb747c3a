// Package alarm wakes a goroutine at a given time, as exactly as the system can.
package alarm

import "time"

// Alarm waits for one moment after another.
type Alarm interface {
	// Wait returns after d; false when Stop was called.
	Wait(d time.Duration) bool
	// Stop ends the wait under way and all later ones.
	Stop()
}

// timer is an Alarm on Go's own timers.
type timer struct{ stopped chan struct{} }

// NewTimer returns an Alarm that wakes in whole milliseconds; see [New] for a finer one.
func NewTimer() Alarm { return &timer{make(chan struct{})} }

func (t *timer) Wait(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	wait := time.NewTimer(d)
	defer wait.Stop()
	select {
	case <-wait.C:
		return true
	case <-t.stopped:
		return false
	}
}

func (t *timer) Stop() { close(t.stopped) }
