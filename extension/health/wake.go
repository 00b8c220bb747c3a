package health

import (
	"sync"
	"time"

	"assay.dev/k6/alarm"
)

const (
	// wakePeriod is not a divisor of the round periods of ticks and of tokens.
	wakePeriod = 11 * time.Millisecond
	// mostWakes bounds what one wake-up stands for, after the process was stopped for long.
	mostWakes = 10_000
)

// metronome ticks at absolute times.
type metronome struct {
	alarm  alarm.Alarm
	period time.Duration
	due    time.Time // of the next tick
}

func newMetronome(period time.Duration, clock alarm.Alarm) *metronome {
	return &metronome{alarm: clock, period: period, due: time.Now().Add(period)}
}

// next waits for a tick. It returns how late the first tick since the last call is, and how many ticks were due since;
// ok is false after the alarm was stopped.
func (m *metronome) next() (late time.Duration, ticks int, ok bool) {
	if !m.alarm.Wait(time.Until(m.due)) {
		return 0, 0, false
	}
	late = time.Since(m.due)
	ticks = 1 + int(late/m.period)
	m.due = m.due.Add(time.Duration(ticks) * m.period)
	return late, ticks, true
}

// Wakes measures how late this process wakes when something is due. The goroutine of the probe sleeps and is woken like
// one that waits for the bytes of a socket, so its lateness is the error of the timestamp of a chunk at that moment: waits
// for a CPU, for the garbage collector, behind other goroutines. It is safe for concurrent use.
type Wakes struct {
	metronome *metronome
	done      chan struct{}

	mu   sync.Mutex
	late []time.Duration
}

// StartWakes starts the probe.
func StartWakes() *Wakes {
	w := &Wakes{metronome: newMetronome(wakePeriod, alarm.New()), done: make(chan struct{})}
	go w.run()
	return w
}

// Stop ends the probe; what it measured can still be taken.
func (w *Wakes) Stop() {
	w.metronome.alarm.Stop()
	<-w.done
}

func (w *Wakes) run() {
	defer close(w.done)
	for {
		late, ticks, ok := w.metronome.next()
		if !ok {
			return
		}
		w.note(late, ticks)
	}
}

// note adds a wake-up. Ticks that were missed meanwhile were late too, each by one period less: a chunk might have been
// due at any of them.
func (w *Wakes) note(late time.Duration, ticks int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for tick := range min(ticks, mostWakes) {
		w.late = append(w.late, max(late-time.Duration(tick)*wakePeriod, 0))
	}
}

// take returns how late the wake-ups since the last call were; nil of a probe that does not exist.
func (w *Wakes) take() []time.Duration {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	late := w.late
	w.late = make([]time.Duration, 0, 2*len(late))
	return late
}
