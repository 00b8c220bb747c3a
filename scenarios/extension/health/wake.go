package health

import (
	"sync"
	"time"
)

const (
	// wakePeriod shares no beat with the round periods of ticks and of tokens.
	wakePeriod = 11 * time.Millisecond
	// mostWakes bounds what one wake-up stands for, after a process that was stopped for long.
	mostWakes = 10_000
)

// metronome ticks on absolute times.
type metronome interface {
	// next waits for a tick. It returns how late the first tick since the last call is, and how many ticks came since;
	// ok is false after stop.
	next() (late time.Duration, ticks int, ok bool)
	stop()
}

// Wakes measures how late this process wakes when something is due. The goroutine of the probe sleeps and is woken like
// one that waits for the bytes of a socket, so its lateness is what the stamp of a chunk suffers at that moment: waits for
// a CPU, for the collector, behind other goroutines. It is safe for concurrent use.
type Wakes struct {
	metronome metronome
	done      chan struct{}

	mu   sync.Mutex
	late []time.Duration
}

// StartWakes starts the probe.
func StartWakes() *Wakes {
	w := &Wakes{metronome: newMetronome(wakePeriod), done: make(chan struct{})}
	go w.run()
	return w
}

// Stop ends the probe; what it saw can still be taken.
func (w *Wakes) Stop() {
	w.metronome.stop()
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

// note adds a wake-up. Ticks that were missed meanwhile were late too, each by a period less: a chunk might have been due
// at any of them.
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
