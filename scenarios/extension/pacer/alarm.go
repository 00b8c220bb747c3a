package pacer

import "time"

// alarm waits for the next arrival.
type alarm interface {
	// wait returns after d; false when stop was called.
	wait(d time.Duration) bool
	stop()
}

// timerAlarm is an alarm on Go's own timers.
type timerAlarm struct{ stopped chan struct{} }

func newTimerAlarm() *timerAlarm { return &timerAlarm{make(chan struct{})} }

func (t *timerAlarm) wait(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-t.stopped:
		return false
	}
}

func (t *timerAlarm) stop() { close(t.stopped) }
