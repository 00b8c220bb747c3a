package health

import "time"

// timer is a metronome on Go's own timers; their coarseness is part of the lateness that it shows.
type timer struct {
	period  time.Duration
	due     time.Time
	stopped chan struct{}
}

func newTimer(period time.Duration) *timer {
	return &timer{period: period, due: time.Now().Add(period), stopped: make(chan struct{})}
}

func (t *timer) next() (time.Duration, int, bool) {
	wait := time.NewTimer(time.Until(t.due))
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-t.stopped:
		return 0, 0, false
	}
	late := time.Since(t.due)
	ticks := 1 + int(late/t.period)
	t.due = t.due.Add(time.Duration(ticks) * t.period)
	return late, ticks, true
}

func (t *timer) stop() { close(t.stopped) }
