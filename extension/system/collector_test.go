package system

import (
	"testing"
	"time"
)

func never(time.Duration) bool { return false }

func TestGarbageIsCollectedInIdleMoments(t *testing.T) {
	const live = 40 << 20
	for _, tt := range []struct {
		name    string
		garbage int64
		moment  time.Duration // without a request; below zero: there is none
		seconds int
		want    int
	}{
		{"little garbage, idle", live - 1, time.Hour, 1, 0},
		{"as much as is live, idle", live, time.Hour, 1, 1},
		{"as much as is live, not idle for long enough", live, time.Microsecond, 100, 0},
		{"many times as much, not idle for long enough", mostGarbage*live - 1, time.Microsecond, 100, 0},
		{"too many times as much, not idle for long enough", mostGarbage * live, time.Microsecond, 1, 1},
		{"too many times as much, busy", mostGarbage * live, -1, mostWeighings, 0},
		{"too many times as much, busy for long", mostGarbage * live, -1, mostWeighings + 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			collections := 0
			c := newCollector(func(d time.Duration) bool { return d <= tt.moment }, func() { collections++ })
			c.took = time.Millisecond
			for range tt.seconds {
				c.weigh(Heap{Live: live, Now: live + tt.garbage})
				c.try()
				c.try()
			}
			if collections != tt.want {
				t.Errorf("%d collections, want %d", collections, tt.want)
			}
		})
	}
}

func TestASmallHeapIsNotWorthACollection(t *testing.T) {
	c := newCollector(func(time.Duration) bool { return true }, func() { t.Error("it was collected") })
	c.weigh(Heap{Live: 1 << 20, Now: leastGarbage})
	c.try()
	c.weigh(Heap{Live: 1 << 20, Now: mostGarbageBytes})
	if c.need.Load() != wanted {
		t.Errorf("%d MiB are overdue with a live heap of 1 MiB", mostGarbageBytes>>20)
	}
}

func TestAnIdleMomentMustBeLongerThanACollection(t *testing.T) {
	var asked time.Duration
	c := newCollector(func(d time.Duration) bool { asked = d; return false }, func() { time.Sleep(4 * time.Millisecond) })
	c.run()
	c.weigh(Heap{Now: leastGarbage})
	c.try()
	if asked < 6*time.Millisecond {
		t.Errorf("an idle moment of %v was asked for, after a collection of 4 ms", asked)
	}
}

func TestAnOpportunityIsOnlyTakenWithGarbage(t *testing.T) {
	c := newCollector(never, func() {})
	c.Opportunity()
	if len(c.opportunity) != 0 {
		t.Error("an opportunity was taken without garbage")
	}
	c.weigh(Heap{Now: leastGarbage})
	c.Opportunity() // does not block, although nothing takes it
	if len(c.opportunity) != 1 {
		t.Error("the opportunity was missed")
	}
	(*Collector)(nil).Opportunity()
}
