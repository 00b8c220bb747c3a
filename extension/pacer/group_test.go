package pacer

import (
	"context"
	"slices"
	"testing"
	"time"
)

func take(t *testing.T, p *Pacer, n int) (indexes []int64) {
	t.Helper()
	slot := p.Slot()
	for range n {
		arrival, ok := slot.Next(context.Background())
		if !ok {
			t.Fatalf("no arrival after %d", len(indexes))
		}
		indexes = append(indexes, arrival.Index)
	}
	return indexes
}

func TestTheStreamsOfAGroupStartTogetherAndNumberTheirArrivalsInTurn(t *testing.T) {
	open := Spec{Process: Constant, Rates: []Stage{{1000, 1000}}, Duration: time.Minute}
	g, err := NewGroup([]Spec{open, {Process: Closed, Duration: time.Minute}, open})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for stream, want := range [][]int64{{0, 3, 6}, {1, 4, 7}, {2, 5, 8}} {
		if got := take(t, g.Stream(stream), 3); !slices.Equal(got, want) {
			t.Errorf("stream %d: got %v, want %v", stream, got, want)
		}
		if start := g.Stream(stream).Start(); start != g.Start() {
			t.Errorf("stream %d started at %v, the group at %v", stream, start, g.Start())
		}
	}
	if counts := g.Counts(); counts.Started.Measure != 9 || counts.Offered.Measure < 9 {
		t.Errorf("got %+v", counts)
	}
	g.Close()
	missing := g.Counts().Offered.Measure - 9
	if never := g.NotStarted(); int64(len(never)) != missing || !slices.IsSortedFunc(never, func(a, b Arrival) int { return int(a.Index - b.Index) }) {
		t.Errorf("%d arrivals never started, and %d are told of", missing, len(never))
	}
}

func firstOffsets(spec Spec, n int) (all []time.Duration) {
	schedule := NewSchedule(spec)
	for range n {
		due, _ := schedule.Next()
		all = append(all, due.Offset)
	}
	return all
}

func TestStreamsOfOneSeedAreIndependent(t *testing.T) {
	for _, process := range []Process{Poisson, Gamma} {
		spec := Spec{Process: process, CV: 2, Rates: []Stage{{100, 100}}, Duration: time.Hour, Seed: 7, streams: 2}
		other := spec
		other.stream = 1
		if slices.Equal(firstOffsets(spec, 20), firstOffsets(other, 20)) {
			t.Errorf("%s: both streams have the same arrivals", process)
		}
		if !slices.Equal(firstOffsets(other, 20), firstOffsets(other, 20)) {
			t.Errorf("%s: the same seed gives other arrivals", process)
		}
	}
}
