package module

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"assay.dev/k6/pacer"
	"go.k6.io/k6/v2/lib"
)

const arrivals = 37

// sequences are those of k6 by which runs are shared.
var sequences = []string{"0,1", "0,1/2,1", "0,1/4,2/4,3/4,1", "0,1/3,2/3,1", "0,1/2,3/4,1", "0,1/7,2/7,3/7,4/7,5/7,6/7,1"}

// TestSegmentsOfK6DealOutEveryArrivalOnce joins k6's own striping to the pacer's: each arrival is some shard's, and k6
// gives a bounded shard as many iterations as the pacer gives it arrivals.
func TestSegmentsOfK6DealOutEveryArrivalOnce(t *testing.T) {
	for _, sequence := range sequences {
		seen := map[int64]int{}
		for _, options := range optionsOf(t, sequence) {
			own := dealtOut(t, options, pacer.Part{}, seen)
			if iterations := scaled(t, options, arrivals); iterations != own {
				t.Errorf("%s in %s: %d arrivals, and k6 gives it %d iterations", options.ExecutionSegment, sequence, own, iterations)
			}
		}
		expectEachOnce(t, sequence, seen)
	}
}

// Each part of a run has runners of its own number: a cluster does not know those of the others.
func TestSegmentsWithinPartsDealOutEveryArrivalOnce(t *testing.T) {
	for of := range int64(5) {
		seen, names := map[int64]int{}, map[string]bool{}
		for number := range of {
			part, sequence := pacer.Part{Number: number + 1, Of: of}, sequences[number]
			// What scenarios give k6 as the number of virtual users of a part; settings/load/segment.ts.
			users := (arrivals - number + of - 1) / of
			for _, options := range optionsOf(t, sequence) {
				own := dealtOut(t, options, part, seen)
				if iterations := scaled(t, options, users); iterations != own {
					t.Errorf("%s of part %d/%d: %d arrivals, and k6 gives it %d users", options.ExecutionSegment, part.Number, of, own, iterations)
				}
				names[SegmentName(options, part)] = true
			}
		}
		if of > 0 {
			expectEachOnce(t, fmt.Sprint(of, " parts"), seen)
		}
		if of == 2 && !(names["0:1/2"] && names["1/2:3/4"] && names["3/4:1"] && len(names) == 3) {
			t.Errorf("a whole runner and two halves of the other part are named %v", names)
		}
	}
}

func TestSegmentsOfEqualNamesInOtherPartsHaveRandomStreamsOfTheirOwn(t *testing.T) {
	keys := map[uint64]bool{}
	for _, part := range []pacer.Part{{}, {Number: 1, Of: 2}, {Number: 2, Of: 2}} {
		for _, options := range optionsOf(t, "0,1/2,1") {
			segment, err := SegmentOf(options, part)
			if err != nil {
				t.Fatal(err)
			}
			if want := 0.5 / float64(max(1, part.Of)); segment.Share != want {
				t.Errorf("%+v: share %v, want %v", part, segment.Share, want)
			}
			keys[segment.Key] = true
		}
	}
	if len(keys) != 6 {
		t.Errorf("%d keys of 6 segments", len(keys))
	}
}

// dealtOut counts in seen the arrivals of a segment, and returns their number.
func dealtOut(t *testing.T, options lib.Options, part pacer.Part, seen map[int64]int) (own int64) {
	t.Helper()
	segment, err := SegmentOf(options, part)
	if err != nil {
		t.Fatal(err)
	}
	schedule := pacer.NewSchedule(pacer.Spec{
		Process: pacer.Constant, Rates: []pacer.Stage{{From: 1, To: 1}}, Duration: time.Hour, MaxArrivals: arrivals, Segment: segment,
	})
	for due, more := schedule.Next(); more; due, more = schedule.Next() {
		seen[due.Index]++
		own++
	}
	return own
}

func scaled(t *testing.T, options lib.Options, count int64) int64 {
	t.Helper()
	tuple, err := lib.NewExecutionTuple(options.ExecutionSegment, options.ExecutionSegmentSequence)
	if err != nil {
		t.Fatal(err)
	}
	return tuple.ScaleInt64(count)
}

func expectEachOnce(t *testing.T, of string, seen map[int64]int) {
	t.Helper()
	for index := range int64(arrivals) {
		if seen[index] != 1 {
			t.Errorf("%s: arrival %d was dealt out %d times", of, index, seen[index])
		}
	}
}

// optionsOf are those of every segment of a sequence.
func optionsOf(t *testing.T, sequence string) (every []lib.Options) {
	t.Helper()
	all, err := lib.NewExecutionSegmentSequenceFromString(sequence)
	if err != nil {
		t.Fatal(err)
	}
	bounds := strings.Split(sequence, ",")
	for i := range bounds[1:] {
		segment, err := lib.NewExecutionSegmentFromString(bounds[i] + ":" + bounds[i+1])
		if err != nil {
			t.Fatal(err)
		}
		every = append(every, lib.Options{ExecutionSegment: segment, ExecutionSegmentSequence: &all})
	}
	return every
}
