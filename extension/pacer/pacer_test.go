package pacer

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"assay.dev/k6/alarm"
)

// newTestPacer runs on Go's timers, which synctest's clock moves.
func newTestPacer(t *testing.T, spec Spec) *Pacer {
	t.Helper()
	p, err := New(spec)
	if err != nil {
		t.Fatal(err)
	}
	p.newAlarm = alarm.NewTimer
	return p
}

func mustNext(t *testing.T, slot *Slot) Arrival {
	t.Helper()
	arrival, ok := slot.Next(t.Context())
	if !ok {
		t.Fatal("there was no arrival")
	}
	return arrival
}

func TestArrivalsAreHandedOutWhenTheyAreDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestPacer(t, Spec{Process: Constant, Rates: steady(10), Warmup: 200 * time.Millisecond, Duration: 200 * time.Millisecond})
		slot, start := p.Slot(), time.Now()
		for k, phase := range []Phase{Warmup, Warmup, Measure, Measure} {
			arrival := mustNext(t, slot)
			want := start.Add(time.Duration(k) * 100 * time.Millisecond)
			if !arrival.Scheduled.Equal(want) || !time.Now().Equal(want) || arrival.Index != int64(k) || arrival.Phase != phase {
				t.Errorf("arrival %d: %+v at %v, want %v in %s", k, arrival, time.Now(), want, phase)
			}
		}
		if _, ok := slot.Next(t.Context()); ok || time.Since(start) != 400*time.Millisecond {
			t.Errorf("a waiting slot was released after %v, want at the end of the schedule", time.Since(start))
		}
		if got, want := p.Counts(), (Counts{PhaseCounts{2, 2}, PhaseCounts{2, 2}}); got != want {
			t.Errorf("counts %+v, want %+v", got, want)
		}
	})
}

func TestAnArrivalThatFindsNoSlotKeepsItsScheduledTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestPacer(t, Spec{Process: Constant, Rates: steady(10), Duration: time.Second})
		slot, start := p.Slot(), time.Now()
		mustNext(t, slot)
		time.Sleep(350 * time.Millisecond)
		late := mustNext(t, slot)
		if want := start.Add(100 * time.Millisecond); !late.Scheduled.Equal(want) {
			t.Errorf("scheduled %v after the start, want 100ms", late.Scheduled.Sub(start))
		}
		if waited := late.Free.Sub(late.Scheduled); waited != 250*time.Millisecond {
			t.Errorf("it waited %v for a slot, want 250ms", waited)
		}
		p.Close()
	})
}

// lateAlarm wakes later than it should.
type lateAlarm struct {
	alarm.Alarm
	by time.Duration
}

func (l lateAlarm) Wait(d time.Duration) bool { return l.Alarm.Wait(d + l.by) }

func TestALateClientIsNotAShortageOfSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestPacer(t, Spec{Process: Constant, Rates: steady(10), Duration: time.Second})
		p.newAlarm = func() alarm.Alarm { return lateAlarm{alarm.NewTimer(), 30 * time.Millisecond} }
		busy, idle := p.Slot(), p.Slot()
		mustNext(t, busy)
		go idle.Next(t.Context())
		time.Sleep(90 * time.Millisecond) // it is free again at 120 ms; the next arrival is due at 100, and offered at 130
		late := mustNext(t, busy)
		if waited := late.Free.Sub(late.Scheduled); waited > 0 {
			t.Errorf("it is said to have waited %v for a slot, while another was free", waited)
		}
		p.Close()
	})
}

func TestArrivalsNeverStartedByTheEndAreCountedAndDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestPacer(t, Spec{Process: Constant, Rates: steady(10), Duration: time.Second})
		slot := p.Slot()
		mustNext(t, slot)
		time.Sleep(1500 * time.Millisecond)
		if _, ok := slot.Next(t.Context()); ok {
			t.Error("an arrival started after the end")
		}
		if got, want := p.Counts(), (Counts{PhaseCounts{0, 10}, PhaseCounts{0, 1}}); got != want {
			t.Errorf("counts %+v, want %+v", got, want)
		}
	})
}

func TestTheSlotFreedLastTakesTheNextArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestPacer(t, Spec{Process: Constant, Rates: steady(1), Duration: 10 * time.Second})
		first, second := p.Slot(), p.Slot()
		mustNext(t, first)
		mustNext(t, second)
		taken := make(chan string, 2)
		for _, waiting := range []struct {
			name string
			slot *Slot
		}{{"freed first", first}, {"freed last", second}} {
			go func() {
				if _, ok := waiting.slot.Next(t.Context()); ok {
					taken <- waiting.name
				}
			}()
			synctest.Wait()
		}
		if got := <-taken; got != "freed last" {
			t.Errorf("the slot %s took the arrival", got)
		}
		p.Close()
	})
}

func TestAWaitingSlotLeavesWhenItsContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestPacer(t, Spec{Process: Constant, Rates: steady(1), Duration: 10 * time.Second})
		slot := p.Slot()
		mustNext(t, slot)
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		if _, ok := slot.Next(ctx); ok {
			t.Error("an arrival was handed out before it was due")
		}
		arrival := mustNext(t, p.Slot())
		if arrival.Index != 1 {
			t.Errorf("the next slot got arrival %d, want 1", arrival.Index)
		}
		p.Close()
		if _, ok := p.Slot().Next(t.Context()); ok {
			t.Error("a closed pacer handed out an arrival")
		}
	})
}

func TestPhaseAtFollowsTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestPacer(t, Spec{Process: Closed, Warmup: time.Second, Duration: time.Second})
		if got := p.PhaseAt(time.Now()); got != Drain {
			t.Errorf("before the start: %s, want drain", got)
		}
		mustNext(t, p.Slot())
		for _, want := range []Phase{Warmup, Measure, Drain} {
			if got := p.PhaseAt(time.Now()); got != want {
				t.Errorf("after %v: %s, want %s", time.Since(p.Start()), got, want)
			}
			time.Sleep(time.Second)
		}
	})
}

func TestManySlotsShareOneSchedule(t *testing.T) {
	p, err := New(Spec{Process: Poisson, Rates: steady(5000), Duration: 200 * time.Millisecond, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	const slots = 20
	taken := make(chan map[int64]bool)
	for range slots {
		go func() {
			mine, slot := map[int64]bool{}, p.Slot()
			for {
				arrival, ok := slot.Next(t.Context())
				if !ok {
					taken <- mine
					return
				}
				if early := time.Until(arrival.Scheduled); early > 0 {
					t.Errorf("arrival %d was %v early", arrival.Index, early)
				}
				mine[arrival.Index] = true
			}
		}()
	}
	all := map[int64]bool{}
	for range slots {
		for index := range <-taken {
			if all[index] {
				t.Errorf("arrival %d was handed out twice", index)
			}
			all[index] = true
		}
	}
	if counts := p.Counts(); counts.Started.Measure != int64(len(all)) || counts.Offered.Measure < counts.Started.Measure {
		t.Errorf("%d arrivals, counts %+v", len(all), counts)
	}
}

func TestEveryArrivalThatWasDueAndDidNotStartIsKnownAfterTheEnd(t *testing.T) {
	for name, end := range map[string]func(*testing.T, *Pacer, *Slot){
		"a slot comes back after the end": func(t *testing.T, p *Pacer, slot *Slot) {
			time.Sleep(2 * time.Second)
			slot.Next(t.Context())
			p.Close()
		},
		"the pacer is closed": func(_ *testing.T, p *Pacer, _ *Slot) {
			time.Sleep(2 * time.Second)
			p.Close()
			p.Close()
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newTestPacer(t, Spec{Process: Constant, Rates: steady(10), Warmup: 300 * time.Millisecond, Duration: 200 * time.Millisecond})
			slot, start := p.Slot(), time.Now()
			mustNext(t, slot)
			end(t, p, slot)
			never := p.NotStarted()
			if len(never) != 4 {
				t.Fatalf("%s: %+v, want 4", name, never)
			}
			for k, arrival := range never {
				phase := map[bool]Phase{true: Warmup, false: Measure}[k < 2]
				if arrival.Index != int64(k+1) || arrival.Phase != phase || arrival.Scheduled.Sub(start) != time.Duration(k+1)*100*time.Millisecond {
					t.Errorf("%s: arrival %d: %+v", name, k, arrival)
				}
			}
			if counts := p.Counts(); counts.Offered.Measure-counts.Started.Measure != 2 || counts.Offered.Warmup-counts.Started.Warmup != 2 {
				t.Errorf("%s: counts %+v", name, counts)
			}
		})
	}
}

func TestAnArrivalHandedToASlotThatStopsDidNotStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestPacer(t, Spec{Process: Constant, Rates: steady(1), Duration: 10 * time.Second})
		slot := p.Slot()
		p.begin()
		p.slotNext(slot)
		synctest.Wait() // the arrival is handed to the slot
		p.leave(slot)
		p.Close()
		if never := p.NotStarted(); len(never) != 1 || never[0].Index != 0 || p.Counts().Started.Measure != 0 {
			t.Errorf("not started %+v, counts %+v", never, p.Counts())
		}
	})
}

func TestThePacerKnowsHowLongNothingIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestPacer(t, Spec{Process: Constant, Rates: steady(10), Duration: 200 * time.Millisecond})
		if p.UntilNext() != 0 {
			t.Error("before its start it says that nothing is due")
		}
		slot := p.Slot()
		mustNext(t, slot)
		time.Sleep(30 * time.Millisecond)
		if got := p.UntilNext(); got != 70*time.Millisecond {
			t.Errorf("%v until the next arrival, want 70ms", got)
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if got := p.UntilNext(); got != 0 {
			t.Errorf("%v until the next arrival, want none: one waits for a slot", got)
		}
		mustNext(t, slot)
		if got := p.UntilNext(); got < time.Hour {
			t.Errorf("%v until the next arrival, after the last one", got)
		}
		p.Close()
		closed := newTestPacer(t, Spec{Process: Closed, Duration: time.Second})
		mustNext(t, closed.Slot())
		if closed.UntilNext() != 0 {
			t.Error("an arrival of a closed loop is always due")
		}
	})
}

func TestIdleSlotsWaitUntilNoArrivalIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open := Spec{Process: Constant, Rates: steady(1), Duration: time.Second}
		g, err := NewGroup([]Spec{open, {Process: Closed, Users: 1, Duration: time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		g.Stream(0).newAlarm = alarm.NewTimer
		one, two, user := g.Stream(0).Slot(), g.Stream(0).Slot(), g.Stream(1).Slot()
		mustNext(t, one)
		mustNext(t, user)
		var ended atomic.Bool
		go func() {
			_, ok := two.Next(t.Context())
			ended.Store(!ok)
		}()
		time.Sleep(2 * time.Second)
		for _, slot := range []*Slot{one, user} {
			synctest.Wait()
			if ended.Load() {
				t.Error("an idle slot ended while an arrival was under way")
			}
			if _, ok := slot.Next(t.Context()); ok {
				t.Error("an arrival started after the end")
			}
		}
		synctest.Wait()
		if !ended.Load() {
			t.Error("the idle slot waits though nothing is under way")
		}
	})
}
