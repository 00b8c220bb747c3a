package pacer

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestAClosedLoopStartsAtOnceUntilTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestPacer(t, Spec{Process: Closed, Warmup: time.Second, Duration: time.Second})
		slot, start := p.Slot(), time.Now()
		var phases []Phase
		for {
			arrival, ok := slot.Next(t.Context())
			if !ok {
				break
			}
			if !arrival.Scheduled.IsZero() {
				t.Errorf("a closed loop's arrival is scheduled for %v", arrival.Scheduled)
			}
			phases = append(phases, arrival.Phase)
			time.Sleep(500 * time.Millisecond)
		}
		if want := []Phase{Warmup, Warmup, Measure, Measure}; len(phases) != 4 || phases[1] != want[1] || phases[2] != want[2] {
			t.Errorf("phases %v, want %v", phases, want)
		}
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("it ended after %v, want 2s", took)
		}
	})
}

func TestPacerIsIdleOnceTheLastOfMaxArrivalsIsDone(t *testing.T) {
	for _, process := range []Process{Closed, Constant} {
		synctest.Test(t, func(t *testing.T) {
			p := newTestPacer(t, Spec{Process: process, Rates: steady(10), Duration: time.Minute, MaxArrivals: 2})
			first, second := p.Slot(), p.Slot()
			mustNext(t, first)
			mustNext(t, second)
			time.Sleep(time.Second)
			if _, ok := first.Next(t.Context()); ok {
				t.Errorf("%s: a third arrival was handed out", process)
			}
			if isClosed(p.Idle()) {
				t.Errorf("%s: idle while a slot is busy", process)
			}
			if _, ok := second.Next(t.Context()); ok {
				t.Errorf("%s: a third arrival was handed out", process)
			}
			if !isClosed(p.Idle()) {
				t.Errorf("%s: not idle after both slots came back", process)
			}
		})
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestASlotThatAsksAgainAfterTheEndDoesNotSpin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestPacer(t, Spec{Process: Closed, Duration: 10 * time.Second, MaxArrivals: 1})
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		slot, start := p.Slot(), time.Now()
		mustNext(t, slot)
		for _, want := range []time.Duration{0, 10 * time.Second, 30 * time.Second} {
			if _, ok := slot.Next(ctx); ok || time.Since(start) != want {
				t.Errorf("returned after %v, want %v", time.Since(start), want)
			}
		}
	})
}

func TestShardsOfAClosedLoopNumberTheirArrivalsApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestPacer(t, Spec{Process: Closed, Duration: time.Second, MaxArrivals: 7, Segment: four[2]})
		slot := p.Slot()
		for _, want := range []int64{2, 6} {
			if got := mustNext(t, slot); got.Index != want {
				t.Errorf("arrival %d, want %d", got.Index, want)
			}
		}
		if _, ok := slot.Next(t.Context()); ok || !isClosed(p.Idle()) {
			t.Error("an arrival above the bound was handed out, or the pacer is not idle")
		}
	})
}

func TestAScheduleWithAStartBeginsThenAndIsIdleAtItsEnd(t *testing.T) {
	for _, process := range []Process{Closed, Constant} {
		synctest.Test(t, func(t *testing.T) {
			at := time.Now().Add(3 * time.Second)
			p := newTestPacer(t, Spec{Process: process, Rates: steady(1), Duration: 2 * time.Second, StartAt: at})
			slot := p.Slot()
			if process == Closed {
				time.Sleep(3 * time.Second)
			}
			first := mustNext(t, slot)
			if !time.Now().Equal(at) || !p.Start().Equal(at) || process == Constant && !first.Scheduled.Equal(at) {
				t.Errorf("%s: began at %v, want %v", process, time.Now(), at)
			}
			for ok := true; ok; _, ok = slot.Next(t.Context()) {
				time.Sleep(100 * time.Millisecond)
			}
			took := time.Since(at)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			slot.Next(ctx)
			if took != 2*time.Second || !isClosed(p.Idle()) {
				t.Errorf("%s: idle %v after %v, want true after 2s", process, isClosed(p.Idle()), took)
			}
		})
	}
}
