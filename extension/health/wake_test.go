package health

import (
	"slices"
	"testing"
	"testing/synctest"
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
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		m := newMetronome(ms, alarm.NewTimer())
		for k, tt := range []struct {
			sleep, late time.Duration
			ticks       int
		}{{0, 0, 1}, {ms / 4, 0, 1}, {3*ms + ms/2, 2*ms + ms/2, 3}, {0, 0, 1}, {ms, 0, 1}, {2 * ms, ms, 2}} {
			time.Sleep(tt.sleep)
			if late, ticks, ok := m.next(); !ok || late != tt.late || ticks != tt.ticks {
				t.Errorf("wake-up %d: late %v with %d ticks, %v; want %v with %d", k, late, ticks, ok, tt.late, tt.ticks)
			}
		}
	})
}

func TestAStoppedMetronomeEnds(t *testing.T) {
	for _, clock := range []alarm.Alarm{alarm.New(), alarm.NewTimer()} {
		m := newMetronome(time.Millisecond, clock)
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
