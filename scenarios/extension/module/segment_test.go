package module

import (
	"strings"
	"testing"
	"time"

	"assay.dev/k6/pacer"
	"go.k6.io/k6/v2/lib"
)

// TestSegmentsOfK6DealOutEveryArrivalOnce joins k6's own striping to the pacer's: each arrival is some shard's, and k6
// gives a bounded shard as many iterations as the pacer gives it arrivals.
func TestSegmentsOfK6DealOutEveryArrivalOnce(t *testing.T) {
	const arrivals = 37
	for _, sequence := range []string{"0,1", "0,1/2,1", "0,1/4,2/4,3/4,1", "0,1/3,2/3,1", "0,1/2,3/4,1", "0,1/7,2/7,3/7,4/7,5/7,6/7,1"} {
		seen := map[int64]int{}
		bounds := strings.Split(sequence, ",")
		for i := range bounds[1:] {
			options := optionsOf(t, bounds[i]+":"+bounds[i+1], sequence)
			segment, err := SegmentOf(options)
			if err != nil {
				t.Fatal(err)
			}
			schedule := pacer.NewSchedule(pacer.Spec{
				Process: pacer.Constant, Rates: []pacer.Stage{{From: 1, To: 1}}, Duration: time.Hour, MaxArrivals: arrivals, Segment: segment,
			})
			own := int64(0)
			for due, more := schedule.Next(); more; due, more = schedule.Next() {
				seen[due.Index]++
				own++
			}
			tuple, err := lib.NewExecutionTuple(options.ExecutionSegment, options.ExecutionSegmentSequence)
			if err != nil {
				t.Fatal(err)
			}
			if iterations := tuple.ScaleInt64(arrivals); iterations != own {
				t.Errorf("%s in %s: %d arrivals, and k6 gives it %d iterations", bounds[i], sequence, own, iterations)
			}
		}
		for index := range int64(arrivals) {
			if seen[index] != 1 {
				t.Errorf("%s: arrival %d was dealt out %d times", sequence, index, seen[index])
			}
		}
	}
}

func optionsOf(t *testing.T, segment, sequence string) lib.Options {
	t.Helper()
	parsed, err := lib.NewExecutionSegmentFromString(segment)
	if err != nil {
		t.Fatal(err)
	}
	all, err := lib.NewExecutionSegmentSequenceFromString(sequence)
	if err != nil {
		t.Fatal(err)
	}
	return lib.Options{ExecutionSegment: parsed, ExecutionSegmentSequence: &all}
}
