package health

import (
	"slices"
	"testing"
	"time"

	"assay.dev/k6/alarm"
)

func TestWakesCountEveryTickThatWasMissed(t *testing.T) {
	w := &Wakes{}
	ms := time.Millisecond
	w.note(ms, 1)
	w.note(20*ms, 3)
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

func TestMetronomesTickAtAbsoluteTimes(t *testing.T) {
	for name, clock := range map[string]alarm.Alarm{"of the system": alarm.New(), "of Go": alarm.NewTimer()} {
		began, ticks := time.Now(), 0
		m := newMetronome(time.Millisecond, clock)
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
		m.alarm.Stop()
		<-ended
	}
}

func TestNoProbeMeasuresNothing(t *testing.T) {
	var none *Wakes
	if late := none.take(); late != nil {
		t.Errorf("measured %v", late)
	}
}
