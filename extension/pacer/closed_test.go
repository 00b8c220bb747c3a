package pacer

import (
	"context"
	"slices"
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

func TestTheUsersOfAClosedLoopStartSpreadOverTheRampUp(t *testing.T) {
	spec := Spec{Process: Closed, Users: 8, RampUp: 4 * time.Second, Warmup: 4 * time.Second, Duration: time.Second}
	for name, test := range map[string]struct {
		segment Segment
		want    []time.Duration
	}{
		"the whole run":   {Segment{}, []time.Duration{0, 500, 1000, 1500, 2000, 2500, 3000, 3500}},
		"a segment of it": {four[2], []time.Duration{1000, 3000}},
	} {
		synctest.Test(t, func(t *testing.T) {
			spec.Segment = test.segment
			p, start, began := newTestPacer(t, spec), time.Now(), make(chan time.Duration, len(test.want))
			for range test.want {
				go func() {
					if _, ok := p.Slot().Next(t.Context()); ok {
						began <- time.Since(start)
					}
				}()
			}
			for _, want := range test.want {
				if got := <-began; got != want*time.Millisecond {
					t.Errorf("%s: a user started after %v, want %dms", name, got, int64(want))
				}
			}
		})
	}
}

func TestAUserThatIsStoppedDuringTheRampUpDoesNotStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestPacer(t, Spec{Process: Closed, Users: 2, RampUp: time.Hour, Duration: 2 * time.Hour})
		mustNext(t, p.Slot())
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, ok := p.Slot().Next(ctx); ok || p.Counts().Started.Measure != 1 {
			t.Errorf("it started; %+v", p.Counts())
		}
	})
}

func TestARampUpNeedsTheNumberOfUsers(t *testing.T) {
	if _, err := New(Spec{Process: Closed, RampUp: time.Second, Duration: time.Second}); err == nil {
		t.Error("it was accepted")
	}
}

func TestSlotsAreReleasedOnceTheLastOfMaxArrivalsWasHandedOut(t *testing.T) {
	for _, process := range []Process{Closed, Constant} {
		synctest.Test(t, func(t *testing.T) {
			p := newTestPacer(t, Spec{Process: process, Rates: steady(10), Duration: time.Minute, MaxArrivals: 2})
			first, second, start := p.Slot(), p.Slot(), time.Now()
			mustNext(t, first)
			mustNext(t, second)
			for _, slot := range []*Slot{first, second, p.Slot()} {
				if _, ok := slot.Next(t.Context()); ok || time.Since(start) > 100*time.Millisecond {
					t.Errorf("%s: a third arrival, or a wait for it of %v", process, time.Since(start))
				}
			}
		})
	}
}

func TestTheWarmUpOfAClosedLoopDoesNotSpendMaxArrivals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestPacer(t, Spec{Process: Closed, Warmup: time.Second, Duration: time.Minute, MaxArrivals: 3, Segment: uneven[0]})
		slot, start := p.Slot(), time.Now()
		var numbers []int64
		for {
			arrival, ok := slot.Next(t.Context())
			if !ok {
				break
			}
			numbers = append(numbers, arrival.Index)
			time.Sleep(250 * time.Millisecond)
		}
		// Four in the warm-up, then two of the three: 0 and 1 are numbers of this shard, and 2 is not.
		if want := []int64{0, 1, 4, 5, 8, 9}; !slices.Equal(numbers, want) || p.Counts().Started != (PhaseCounts{4, 2}) {
			t.Errorf("arrivals %v, want %v; %+v", numbers, want, p.Counts())
		}
		if took := time.Since(start); took != 1500*time.Millisecond {
			t.Errorf("it ended after %v, want with its last arrival", took)
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
		if _, ok := slot.Next(t.Context()); ok {
			t.Error("an arrival above the bound was handed out")
		}
	})
}

func TestAScheduleWithAStartBeginsThen(t *testing.T) {
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
			if took := time.Since(at); took != 2*time.Second {
				t.Errorf("%s: it ended after %v, want 2s", process, took)
			}
		})
	}
}

func TestAKeptSlotOfAClosedLoopPausesAfterRequestsThatTheTargetDidNotTake(t *testing.T) {
	for _, process := range []Process{Closed, Constant} {
		synctest.Test(t, func(t *testing.T) {
			p := newTestPacer(t, Spec{Process: process, Rates: steady(1000), Duration: time.Minute})
			slot := p.Slot()
			var pauses []time.Duration
			for range 9 {
				mustNext(t, slot)
				slot.Taken(false)
				began := time.Now()
				mustNext(t, slot)
				slot.Taken(len(pauses) == 2)
				pauses = append(pauses, time.Since(began)/time.Millisecond)
			}
			p.Close()
			want := []time.Duration{10, 40, 160, 10, 40, 160, 640, 1000, 1000}
			if process != Closed {
				want = []time.Duration{1, 1, 1, 1, 1, 1, 1, 1, 1}
			}
			if !slices.Equal(pauses, want) {
				t.Errorf("%s: pauses of %v ms, want %v", process, pauses, want)
			}
		})
	}
}
