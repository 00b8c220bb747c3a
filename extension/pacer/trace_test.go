package pacer

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestATraceIsReplayedExactlyWithItsLengths(t *testing.T) {
	trace := Trace{Offsets: []time.Duration{0, 7, 7, 1e9, 3e9}, InputTokens: []int64{5, 0, 9, 1, 2}}
	got := schedule(t, Spec{Process: Replay, Trace: &trace, Duration: 3 * time.Second})
	// What is due at the end is not due any more.
	if want := []Due{{0, 0, 5, 0}, {1, 7, 0, 0}, {2, 7, 9, 0}, {3, 1e9, 1, 0}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestTheLengthsOfATraceReachItsArrivals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trace := Trace{Offsets: []time.Duration{0, time.Second}, InputTokens: []int64{5, 6}, OutputTokens: []int64{7, 8}}
		p := newTestPacer(t, Spec{Process: Replay, Trace: &trace, Duration: 2 * time.Second})
		slot := p.Slot()
		mustNext(t, slot)
		second := mustNext(t, slot)
		if second.Index != 1 || second.InputTokens != 6 || second.OutputTokens != 8 {
			t.Errorf("got %+v", second)
		}
		p.Close()
	})
}
