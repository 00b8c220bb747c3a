package pacer

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// handing is a pacer of ten arrivals per second whose requests are handed over, two at a time.
func handing(t *testing.T) *Pacer {
	t.Helper()
	p := newTestPacer(t, Spec{Process: Constant, Rates: steady(10), Duration: time.Second, HandsOver: true})
	if !p.Limit(2) {
		t.Fatal("nothing is handed over")
	}
	return p
}

func mustPlace(t *testing.T, p *Pacer) *Slot {
	t.Helper()
	slot := p.Place(t.Context())
	if slot == nil {
		t.Fatal("there was no place")
	}
	return slot
}

func TestAUserThatHandsItsRequestsOverTakesArrivalsUntilAsManyAsMayBeAreUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := handing(t)
		begun := time.Now()
		first, second := mustPlace(t, p), (*Slot)(nil)
		mustNext(t, first)
		second = mustPlace(t, p)
		mustNext(t, second)
		go func() {
			time.Sleep(350 * time.Millisecond)
			first.Release()
		}()
		third := mustPlace(t, p)
		arrival := mustNext(t, third)
		if waited := arrival.Free.Sub(arrival.Scheduled); third != first || time.Since(begun) != 450*time.Millisecond || arrival.Index != 2 || waited != 250*time.Millisecond {
			t.Errorf("arrival %d after %v, which waited %v; want 2 after 450ms, that waited 250ms for the place of the first", arrival.Index, time.Since(begun), waited)
		}
		if p.Counts().Started.Measure != 3 {
			t.Errorf("counts %+v, want 3 that started", p.Counts())
		}
		p.Close()
	})
}

func TestAUserThatIsBusyIsNoShortageOfPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := handing(t)
		mustNext(t, mustPlace(t, p))
		time.Sleep(230 * time.Millisecond) // it makes a request meanwhile
		unmade := mustNext(t, mustPlace(t, p))
		if lag := unmade.Free.Sub(unmade.Scheduled); lag > 0 {
			t.Errorf("it waited %v for a place that was not made yet", lag)
		}
		p.Close()
	})
	synctest.Test(t, func(t *testing.T) {
		p := handing(t)
		first, second := mustPlace(t, p), mustPlace(t, p)
		mustNext(t, first)
		mustNext(t, second)
		time.Sleep(50 * time.Millisecond)
		first.Release()
		time.Sleep(20 * time.Millisecond)
		second.Release()
		time.Sleep(80 * time.Millisecond) // an arrival was due after 50 ms
		last := mustPlace(t, p)
		if arrival := mustNext(t, last); last != second || arrival.Free.Sub(arrival.Scheduled) != -50*time.Millisecond {
			t.Errorf("free %v after it was due; want the place that was free last, and that one was free 50ms before", arrival.Free.Sub(arrival.Scheduled))
		}
		p.Close()
	})
}

func TestUsersWaitForRequestsThatWereHandedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestPacer(t, Spec{Process: Constant, Rates: steady(1), Duration: time.Second, HandsOver: true})
		p.Limit(2)
		slot := mustPlace(t, p)
		mustNext(t, slot)
		waiting := mustPlace(t, p)
		begun := time.Now()
		go func() {
			time.Sleep(5 * time.Second)
			slot.Release()
		}()
		if _, ok := waiting.Next(t.Context()); ok || time.Since(begun) != 5*time.Second {
			t.Errorf("it ended after %v, want when the request ended after 5s", time.Since(begun))
		}
	})
}

func TestAUserThatStopsWaitsForNoPlace(t *testing.T) {
	p := handing(t)
	ctx, cancel := context.WithCancel(t.Context())
	mustPlace(t, p)
	mustPlace(t, p)
	cancel()
	if p.Place(ctx) != nil {
		t.Error("there was a third place")
	}
}

func TestOnlyConversationsWait(t *testing.T) {
	turns := &Trace{Offsets: []time.Duration{0}, Turns: Turns{Starts: []int64{0, 1}}}
	for _, tt := range []struct {
		spec Spec
		want bool
	}{
		{Spec{Process: Poisson, HandsOver: true}, true},
		{Spec{Process: Replay, HandsOver: true, Trace: ofBursts(1, 1)}, true},
		{Spec{Process: Poisson}, false},
		{Spec{Process: Closed, HandsOver: true}, true},
		{Spec{Process: Closed}, false},
		{Spec{Process: Replay, HandsOver: true, Trace: turns}, false},
	} {
		if got := tt.spec.handsOver(); got != tt.want {
			t.Errorf("%+v hands over: %v", tt.spec, got)
		}
	}
}

// closedLoop runs a closed loop of this many users by two virtual users that hand their requests over; each request takes 100 ms. It returns
// when its requests began, from the start, and how long it took.
func closedLoop(t *testing.T, spec Spec, users int64, taken bool) (begun []time.Duration, took time.Duration) {
	t.Helper()
	spec.Process, spec.HandsOver, spec.Users = Closed, true, users
	synctest.Test(t, func(t *testing.T) {
		p, start := newTestPacer(t, spec), time.Now()
		p.Limit(users)
		var all sync.WaitGroup
		var mu sync.Mutex
		for range 2 {
			all.Go(func() {
				for slot := p.Place(t.Context()); ; slot = p.Place(t.Context()) {
					if _, ok := slot.Next(t.Context()); !ok {
						return
					}
					mu.Lock()
					begun = append(begun, time.Since(start))
					mu.Unlock()
					all.Go(func() {
						time.Sleep(100 * time.Millisecond)
						slot.Taken(taken)
						slot.Release()
					})
				}
			})
		}
		all.Wait()
		took = time.Since(start)
	})
	return begun, took
}

func TestAClosedLoopHasAsManyRequestsUnderWayAsUsersWhoeverMakesThem(t *testing.T) {
	begun, took := closedLoop(t, Spec{Duration: time.Second}, 5, true)
	at := map[time.Duration]int{}
	for _, each := range begun {
		at[each]++
	}
	for round := range 10 {
		if n := at[time.Duration(round)*100*time.Millisecond]; n != 5 {
			t.Errorf("%d requests began in round %d, want 5", n, round)
		}
	}
	if len(begun) != 50 || took != time.Second {
		t.Errorf("%d requests in %v, want 50 in 1s", len(begun), took)
	}
}

func TestTheUsersOfAClosedLoopGetTheirPlacesOneAfterAnother(t *testing.T) {
	begun, _ := closedLoop(t, Spec{Duration: time.Second, RampUp: 600 * time.Millisecond}, 4, true)
	under := func(at time.Duration) (n int) {
		for _, each := range begun {
			if each <= at && at < each+100*time.Millisecond {
				n++
			}
		}
		return n
	}
	for at, want := range map[time.Duration]int{0: 1, 149: 1, 151: 2, 299: 2, 301: 3, 449: 3, 451: 4, 990: 4} {
		if got := under(at * time.Millisecond); got != want {
			t.Errorf("%d requests were under way after %d ms, want %d", got, at, want)
		}
	}
}

func TestAClosedLoopEndsWithItsLastArrivalDuringTheRampUp(t *testing.T) {
	begun, took := closedLoop(t, Spec{Duration: time.Hour, RampUp: time.Minute, MaxArrivals: 3}, 100, true)
	if len(begun) != 3 || took > time.Second {
		t.Errorf("%d requests in %v, want 3 within a second", len(begun), took)
	}
}

func TestAUserOfAClosedLoopPausesAfterARequestWithoutAResponse(t *testing.T) {
	begun, _ := closedLoop(t, Spec{Duration: 4 * time.Second}, 1, false)
	var pauses []time.Duration
	for n := 1; n < len(begun); n++ {
		pauses = append(pauses, (begun[n]-begun[n-1]-100*time.Millisecond)/time.Millisecond)
	}
	if want := []time.Duration{10, 20, 40, 80, 160, 320, 640, 1000}; !slices.Equal(pauses, want) {
		t.Errorf("pauses of %v ms, want %v", pauses, want)
	}
}
