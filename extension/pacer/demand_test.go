package pacer

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

func TestAnOpenLoadHasSlotsForTwoSecondsOfItsHighestRateFromItsStart(t *testing.T) {
	for _, tt := range []struct {
		spec                Spec
		streams, most, want int64
	}{
		{Spec{Process: Constant, Rates: steady(128)}, 1, 4000, 256},
		{Spec{Process: Poisson, Rates: []Stage{{10, 1000}, {1000, 10}}}, 1, 4000, 2000},
		{Spec{Process: Constant, Rates: steady(1)}, 1, 4000, leastReady},
		{Spec{Process: Constant, Rates: steady(1)}, 1, 70, 70},
		{Spec{Process: Gamma, Rates: steady(1000), Segment: Segment{Share: 0.25}}, 1, 4000, 500},
		{Spec{Process: Constant, Rates: steady(1e300)}, 1, 4000, 4000},
		{Spec{Process: Constant, Rates: steady(1)}, 4, 4000, leastReady / 4},
		{Spec{Process: Constant, Rates: steady(1)}, 80, 4000, leastSpare + 2},
		{Spec{Process: Constant, Rates: steady(128)}, 80, 4000, 256},
		{Spec{Process: Closed}, 1, 4000, 4000},
		{Spec{Process: Closed}, 80, 4000, 4000},
		{Spec{Process: Replay, Trace: ofBursts(3, 1000)}, 1, 4000, 1000},
		{Spec{Process: Replay, Trace: ofBursts(3, 1000), Segment: Segment{Share: 0.25}}, 1, 4000, 250},
		{Spec{Process: Replay, Trace: ofBursts(900, 1)}, 1, 4000, leastReady},
		{Spec{Process: Replay, Trace: ofBursts(900, 1)}, 80, 4000, leastSpare + 1},
		{Spec{Process: Replay, Trace: ofBursts(5, 1)}, 80, 4000, 5},
		{Spec{Process: Replay}, 1, 4000, 4000},
		{Spec{Process: Poisson, Rates: steady(1000), HandsOver: true}, 1, 4000, int64(makers * runtime.GOMAXPROCS(0))},
		{Spec{Process: Poisson, Rates: steady(1000), HandsOver: true}, 1000, 4000, leastMakers},
		{Spec{Process: Poisson, Rates: steady(1000), HandsOver: true}, 1, 3, 3},
	} {
		if got := tt.spec.Ready(tt.most, tt.streams); got != tt.want {
			t.Errorf("%s at %v, %d streams: %d of at most %d, want %d", tt.spec.Process, tt.spec.Rates, tt.streams, got, tt.most, tt.want)
		}
	}
}

// ofBursts is a trace with bursts 2 s apart; size is the number of arrivals in each, within 1 s.
func ofBursts(bursts, size int) *Trace {
	trace := &Trace{}
	for burst := range bursts {
		for nth := range size {
			offset := time.Duration(burst)*readyFor + time.Duration(nth)*time.Second/time.Duration(size)
			trace.Offsets = append(trace.Offsets, offset)
		}
	}
	return trace
}

// asked tells whether a slot is asked for.
func asked(demand <-chan struct{}) bool {
	select {
	case <-demand:
		return true
	default:
		return false
	}
}

func TestSlotsAreAskedForWhileFewWaitAndArrivalsGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestPacer(t, Spec{Process: Constant, Rates: steady(10), Duration: time.Second})
		demand := p.Demand(20)
		if !asked(demand) {
			t.Error("no slot is asked for when there is none")
		}
		mustNext(t, p.Slot())
		asked(demand)
		for waiting := 1; waiting <= leastSpare; waiting++ {
			go p.Slot().Next(t.Context())
			synctest.Wait()
			if got, want := asked(demand), waiting < leastSpare; got != want {
				t.Errorf("while %d slots wait another one is asked for: %v, want %v", waiting, got, want)
			}
		}
		time.Sleep(110 * time.Millisecond)
		if !asked(demand) {
			t.Error("no slot is asked for although an arrival took one")
		}
		time.Sleep(time.Second)
		asked(demand)
		if asked(p.Demand(20)) {
			t.Error("a slot is asked for after the last arrival")
		}
	})
}

func TestAnArrivalThatWaitsForASlotToBeMadeWaitsForTheLoadGenerator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestPacer(t, Spec{Process: Constant, Rates: steady(10), Duration: 10 * time.Second})
		p.Demand(1)
		first, second := p.Slot(), p.Slot()
		mustNext(t, first)
		time.Sleep(350 * time.Millisecond) // three more arrivals are due
		for _, slot := range []*Slot{second, first} {
			if arrival := mustNext(t, slot); arrival.Free.After(arrival.Scheduled) {
				t.Errorf("arrival %d waited %v for another one to end", arrival.Index, arrival.Free.Sub(arrival.Scheduled))
			}
		}
		p.Demand(0)
		time.Sleep(150 * time.Millisecond)
		mustNext(t, first) // the last one that was due while a slot was not made
		if late := mustNext(t, second); !late.Free.After(late.Scheduled) {
			t.Errorf("arrival %d waited for no slot although all were taken", late.Index)
		}
		p.Close()
	})
}

func TestASlotThatWasUsedTakesTheNextArrivalBeforeNewOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTestPacer(t, Spec{Process: Constant, Rates: steady(10), Duration: 10 * time.Second})
		used := p.Slot()
		mustNext(t, used)
		taken := make(chan int64, 1)
		go func() {
			if arrival, ok := used.Next(t.Context()); ok {
				taken <- arrival.Index
			}
		}()
		synctest.Wait()
		for range 3 {
			go p.Slot().Next(t.Context())
		}
		synctest.Wait()
		time.Sleep(110 * time.Millisecond)
		synctest.Wait()
		if len(taken) != 1 {
			t.Error("a new slot took the arrival")
		}
		p.Close()
	})
}
