package pacer

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"
)

// four are equal shares of a run, as k6 deals them out.
var four = []Segment{
	{Share: 0.25, Key: 1, Start: 0, Steps: []int64{4}}, {Share: 0.25, Key: 2, Start: 1, Steps: []int64{4}},
	{Share: 0.25, Key: 3, Start: 2, Steps: []int64{4}}, {Share: 0.25, Key: 4, Start: 3, Steps: []int64{4}},
}

// uneven are a half and two quarters.
var uneven = []Segment{
	{Share: 0.5, Start: 0, Steps: []int64{1, 3}}, {Share: 0.25, Start: 2, Steps: []int64{4}}, {Share: 0.25, Start: 3, Steps: []int64{4}},
}

// union is the schedule of all shards together, in order of time.
func union(t *testing.T, spec Spec, segments []Segment) []Due {
	t.Helper()
	var all []Due
	for _, segment := range segments {
		spec.Segment = segment
		all = append(all, schedule(t, spec)...)
	}
	slices.SortFunc(all, func(a, b Due) int { return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Index, b.Index)) })
	return all
}

// measured is the number of arrivals after the warm-up.
func measured(all []Due, spec Spec) (count int) {
	for _, due := range all {
		if due.Offset >= spec.Warmup {
			count++
		}
	}
	return count
}

func TestPoissonShardsShareTheBoundOnMeasuredArrivals(t *testing.T) {
	spec := Spec{Process: Poisson, Rates: steady(50), Warmup: 2 * time.Second, Duration: 10 * time.Second, Seed: 5, MaxArrivals: 41}
	for _, segments := range [][]Segment{four, uneven} {
		all := union(t, spec, segments)
		if n := measured(all, spec); n != 41 || len(all) < 100 {
			t.Errorf("%d shards together: %d arrivals, %d measured", len(segments), len(all), n)
		}
	}
}

func TestShardsAreTogetherExactlyTheWholeSchedule(t *testing.T) {
	ramp := []Stage{{10, 50}, {50, 50}, {0, 0}, {80, 20}}
	var trace Trace
	for k := range 999 {
		trace.Offsets = append(trace.Offsets, time.Duration(10*k*k)*time.Microsecond)
		trace.InputTokens = append(trace.InputTokens, int64(k))
		trace.OutputTokens = append(trace.OutputTokens, int64(2*k))
	}
	for name, spec := range map[string]Spec{
		"constant":          {Process: Constant, Rates: steady(10)},
		"constant, bounded": {Process: Constant, Rates: steady(10), MaxArrivals: 41},
		"ramp":              {Process: Constant, Rates: ramp},
		"gamma":             {Process: Gamma, CV: 3, Rates: steady(50)},
		"ramped gamma":      {Process: Gamma, CV: 0.5, Rates: ramp},
		"trace":             {Process: Replay, Trace: &trace},
		"trace, bounded":    {Process: Replay, Trace: &trace, MaxArrivals: 41},
	} {
		spec.Warmup, spec.Duration, spec.Seed = 2*time.Second, 10*time.Second, 5
		whole := schedule(t, spec)
		if n := measured(whole, spec); spec.MaxArrivals > 0 && n != int(spec.MaxArrivals) || n < 41 || len(whole) <= n {
			t.Errorf("%s: the whole has %d arrivals, %d measured", name, len(whole), n)
		}
		for _, segments := range [][]Segment{four, uneven} {
			if all := union(t, spec, segments); !reflect.DeepEqual(all, whole) {
				t.Errorf("%s: %d shards together have %d arrivals, the whole has %d", name, len(segments), len(all), len(whole))
			}
		}
	}
}

func TestPoissonShardsAddUpToOnePoissonProcess(t *testing.T) {
	for name, rates := range map[string][]Stage{"steady": steady(200), "ramp": {{50, 350}, {100, 100}}} {
		for seed := range uint64(5) {
			spec := Spec{Process: Poisson, Rates: rates, Warmup: 4 * time.Second, Duration: 20 * time.Second, Seed: seed}
			var all []time.Duration
			numbers := map[int64]bool{}
			for _, due := range union(t, spec, four) {
				all = append(all, due.Offset)
				numbers[due.Index] = true
			}
			between := rescaledGaps(all, spec)
			if d, most := kolmogorovSmirnov(between, 1), 1.628/math.Sqrt(float64(len(between))); d >= most {
				t.Errorf("%s, seed %d: D is %.4f, want below %.4f", name, seed, d, most)
			}
			if len(numbers) != len(all) {
				t.Errorf("%s: %d arrivals have %d numbers", name, len(all), len(numbers))
			}
		}
	}
}

func TestPoissonShardsDiffer(t *testing.T) {
	spec := Spec{Process: Poisson, Rates: steady(50), Duration: 10 * time.Second, Seed: 1}
	var shards [2][]time.Duration
	for i := range shards {
		spec.Segment = four[i]
		shards[i] = offsets(t, spec)
	}
	if slices.Equal(shards[0], shards[1]) {
		t.Error("two shards have the same arrivals")
	}
}
