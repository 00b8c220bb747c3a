package health

import (
	"slices"
	"testing"
	"time"
)

// script is a metronome that says what it is told to.
type script chan [2]int

func (s script) next() (time.Duration, int, bool) {
	tick, ok := <-s
	return time.Duration(tick[0]) * time.Millisecond, tick[1], ok
}

func (s script) stop() { close(s) }

func TestWakesCountEveryTickThatWasMissed(t *testing.T) {
	w := &Wakes{metronome: script(make(chan [2]int)), done: make(chan struct{})}
	go w.run()
	w.metronome.(script) <- [2]int{1, 1}
	w.metronome.(script) <- [2]int{20, 3}
	w.Stop()
	ms := time.Millisecond
	if got, want := w.take(), []time.Duration{ms, 20 * ms, 9 * ms, 0}; !slices.Equal(got, want) {
		t.Errorf("late by %v, want %v", got, want)
	}
	if got := w.take(); len(got) != 0 {
		t.Errorf("taken twice: %v", got)
	}
}

func TestWakesOfAStoppedProcessAreBounded(t *testing.T) {
	w := &Wakes{}
	w.note(time.Hour, 500_000)
	if got := len(w.take()); got != mostWakes {
		t.Errorf("%d wake-ups", got)
	}
}

func TestMetronomesTickOnAbsoluteTimes(t *testing.T) {
	for name, start := range map[string]func(time.Duration) metronome{
		"of the system": newMetronome, "of Go": func(period time.Duration) metronome { return newTimer(period) },
	} {
		began, ticks := time.Now(), 0
		m := start(time.Millisecond)
		for ticks < 50 {
			late, n, ok := m.next()
			if !ok || n < 1 || late < 0 || late > time.Since(began) {
				t.Fatalf("%s: late %v, %d ticks, %v", name, late, n, ok)
			}
			ticks += n
			time.Sleep(3 * time.Millisecond) // Ticks that come meanwhile are not lost.
		}
		if took := time.Since(began); took < time.Duration(ticks-1)*time.Millisecond {
			t.Errorf("%s: %d ticks in %v", name, ticks, took)
		}
		ended := make(chan bool)
		go func() {
			for ok := true; ok; {
				_, _, ok = m.next()
			}
			close(ended)
		}()
		m.stop()
		<-ended
	}
}

func TestNoProbeSeesNothing(t *testing.T) {
	var none *Wakes
	if late := none.take(); late != nil {
		t.Errorf("saw %v", late)
	}
}
