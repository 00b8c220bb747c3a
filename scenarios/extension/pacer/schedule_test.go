package pacer

import (
	"math"
	"slices"
	"testing"
	"time"
)

// offsets is the whole schedule of a spec.
func offsets(t *testing.T, spec Spec) []time.Duration {
	t.Helper()
	if err := spec.Check(); err != nil {
		t.Fatal(err)
	}
	var all []time.Duration
	for schedule := NewSchedule(spec); ; {
		offset, more := schedule.Next()
		if !more {
			return all
		}
		all = append(all, offset)
	}
}

// gaps are the times between arrivals, in seconds.
func gaps(offsets []time.Duration) []float64 {
	out := make([]float64, len(offsets)-1)
	for i := range out {
		out[i] = (offsets[i+1] - offsets[i]).Seconds()
	}
	return out
}

func meanAndCV(values []float64) (mean, cv float64) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	var variance float64
	for _, v := range values {
		variance += (v - mean) * (v - mean) / float64(len(values)-1)
	}
	return mean, math.Sqrt(variance) / mean
}

// kolmogorovSmirnov is the largest distance between the gaps' distribution and the exponential one of a rate.
func kolmogorovSmirnov(gaps []float64, rate float64) (d float64) {
	slices.Sort(gaps)
	n := float64(len(gaps))
	for i, gap := range gaps {
		expected := 1 - math.Exp(-rate*gap)
		d = max(d, math.Abs(expected-float64(i)/n), math.Abs(expected-float64(i+1)/n))
	}
	return d
}

func TestConstantArrivalsAreExact(t *testing.T) {
	for _, rate := range []float64{3, 50, 333.3, 4000} {
		all := offsets(t, Spec{Process: Constant, Rate: rate, Warmup: time.Second, Duration: 9 * time.Second})
		if want := int(math.Ceil(10 * rate)); len(all) != want {
			t.Errorf("rate %v: %d arrivals in 10 s, want %d", rate, len(all), want)
		}
		for k, offset := range all {
			if want := time.Duration(math.Round(float64(k) / rate * 1e9)); offset != want {
				t.Fatalf("rate %v: arrival %d at %v, want %v", rate, k, offset, want)
			}
		}
	}
}

func TestPoissonArrivalsPassKolmogorovSmirnov(t *testing.T) {
	for _, rate := range []float64{0.5, 50, 500} {
		for seed := range uint64(5) {
			all := offsets(t, Spec{Process: Poisson, Rate: rate, Duration: time.Duration(5000 / rate * 1e9), Seed: seed})
			between := gaps(all)
			if d, most := kolmogorovSmirnov(between, rate), 1.628/math.Sqrt(float64(len(between))); d >= most {
				t.Errorf("rate %v, seed %d: D is %.4f, want below %.4f", rate, seed, d, most)
			}
		}
	}
}

func TestKolmogorovSmirnovTellsConstantFromPoisson(t *testing.T) {
	between := gaps(offsets(t, Spec{Process: Constant, Rate: 50, Duration: 20 * time.Second}))
	if d := kolmogorovSmirnov(between, 50); d < 0.3 {
		t.Errorf("D of a constant process is %.3f, so the test could not fail", d)
	}
}

func TestGammaArrivalsHaveTheirMeanAndCV(t *testing.T) {
	for _, cv := range []float64{0.25, 0.5, 1, 2, 4} {
		between := gaps(offsets(t, Spec{Process: Gamma, Rate: 1000, CV: cv, Duration: 100 * time.Second, Seed: 3}))
		mean, seen := meanAndCV(between)
		// The standard error of the mean is cv / sqrt(n).
		if tolerance := 4 * cv / math.Sqrt(float64(len(between))); math.Abs(mean*1000-1) > tolerance {
			t.Errorf("cv %v: mean gap is %.4f ms, want 1 within %.4f", cv, mean*1000, tolerance)
		}
		if math.Abs(seen/cv-1) > 0.05 {
			t.Errorf("cv %v: gaps have cv %.3f", cv, seen)
		}
	}
}

func TestScheduleIsReproducible(t *testing.T) {
	for _, process := range []Process{Constant, Poisson, Gamma} {
		spec := Spec{Process: process, Rate: 100, CV: 2, Duration: 10 * time.Second, Seed: 1}
		other := spec
		other.Seed = 2
		if !slices.Equal(offsets(t, spec), offsets(t, spec)) {
			t.Errorf("%s: the same seed gave two schedules", process)
		}
		if process != Constant && slices.Equal(offsets(t, spec), offsets(t, other)) {
			t.Errorf("%s: two seeds gave one schedule", process)
		}
	}
}

func TestMaxArrivalsBoundsTheSchedule(t *testing.T) {
	spec := Spec{Process: Poisson, Rate: 100, Duration: 10 * time.Second, Seed: 1}
	bounded := spec
	bounded.MaxArrivals = 17
	if all, first := offsets(t, spec), offsets(t, bounded); !slices.Equal(first, all[:17]) {
		t.Errorf("got %d arrivals, want the first 17 of the schedule", len(first))
	}
}

func TestSegmentsDealOutConstantArrivals(t *testing.T) {
	spec := Spec{Process: Constant, Rate: 10, Duration: 10 * time.Second}
	whole := offsets(t, spec)
	var dealt []time.Duration
	for _, segment := range []Segment{{Start: 0, Steps: []int64{1, 3}}, {Start: 2, Steps: []int64{4}}, {Start: 3, Steps: []int64{4}}} {
		spec.Segment = segment
		dealt = append(dealt, offsets(t, spec)...)
	}
	slices.Sort(dealt)
	if !slices.Equal(dealt, whole) {
		t.Errorf("three shards together have %d arrivals, the whole has %d", len(dealt), len(whole))
	}
}

func TestPoissonShardsAddUpToOnePoissonProcess(t *testing.T) {
	var all []time.Duration
	for key := range uint64(4) {
		all = append(all, offsets(t, Spec{
			Process: Poisson, Rate: 200, Duration: 20 * time.Second, Seed: 9, Segment: Segment{Share: 0.25, Key: key},
		})...)
	}
	slices.Sort(all)
	between := gaps(all)
	if d, most := kolmogorovSmirnov(between, 200), 1.628/math.Sqrt(float64(len(between))); d >= most {
		t.Errorf("D is %.4f, want below %.4f", d, most)
	}
}

func TestCheckRefusesUnusableSpecs(t *testing.T) {
	for _, spec := range []Spec{
		{Process: "steady", Rate: 1, Duration: 1},
		{Process: Constant, Duration: 1},
		{Process: Poisson, Rate: -1, Duration: 1},
		{Process: Poisson, Rate: math.NaN(), Duration: 1},
		{Process: Gamma, Rate: 1, Duration: 1},
		{Process: Closed},
		{Process: Closed, Duration: 1, Warmup: -1},
		{Process: Closed, Duration: 1, MaxArrivals: -1},
	} {
		if spec.Check() == nil {
			t.Errorf("%+v was accepted", spec)
		}
	}
}
