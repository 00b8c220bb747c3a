package pacer

import (
	"math"
	"slices"
	"testing"
	"time"
)

// steady is one rate for the whole run.
func steady(rate float64) []Stage { return []Stage{{rate, rate}} }

// schedule is the whole schedule of a spec.
func schedule(t *testing.T, spec Spec) []Due {
	t.Helper()
	if err := spec.Check(); err != nil {
		t.Fatal(err)
	}
	var all []Due
	for schedule := NewSchedule(spec); ; {
		due, more := schedule.Next()
		if !more {
			return all
		}
		all = append(all, due)
	}
}

// offsets are the times of a spec's schedule.
func offsets(t *testing.T, spec Spec) []time.Duration {
	t.Helper()
	var all []time.Duration
	for _, due := range schedule(t, spec) {
		all = append(all, due.Offset)
	}
	return all
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
		all := offsets(t, Spec{Process: Constant, Rates: steady(rate), Warmup: time.Second, Duration: 9 * time.Second})
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
			all := offsets(t, Spec{Process: Poisson, Rates: steady(rate), Duration: time.Duration(5000 / rate * 1e9), Seed: seed})
			between := gaps(all)
			if d, most := kolmogorovSmirnov(between, rate), 1.628/math.Sqrt(float64(len(between))); d >= most {
				t.Errorf("rate %v, seed %d: D is %.4f, want below %.4f", rate, seed, d, most)
			}
		}
	}
}

func TestKolmogorovSmirnovTellsConstantFromPoisson(t *testing.T) {
	between := gaps(offsets(t, Spec{Process: Constant, Rates: steady(50), Duration: 20 * time.Second}))
	if d := kolmogorovSmirnov(between, 50); d < 0.3 {
		t.Errorf("D of a constant process is %.3f, so the test could not fail", d)
	}
}

func TestGammaArrivalsHaveTheirMeanAndCV(t *testing.T) {
	for _, cv := range []float64{0.25, 0.5, 1, 2, 4} {
		between := gaps(offsets(t, Spec{Process: Gamma, Rates: steady(1000), CV: cv, Duration: 100 * time.Second, Seed: 3}))
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
		spec := Spec{Process: process, Rates: steady(100), CV: 2, Duration: 10 * time.Second, Seed: 1}
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

func TestMaxArrivalsBoundsTheMeasuredArrivalsAndNotTheWarmUp(t *testing.T) {
	var trace Trace
	for k := range 1000 {
		trace.Offsets = append(trace.Offsets, time.Duration(k)*10*time.Millisecond)
	}
	for _, process := range []Process{Constant, Poisson, Gamma, Replay} {
		for _, warmup := range []time.Duration{0, time.Second} {
			spec := Spec{Process: process, Rates: steady(100), CV: 2, Trace: &trace, Warmup: warmup, Duration: 9 * time.Second, Seed: 1}
			all := offsets(t, spec)
			measured := slices.IndexFunc(all, func(offset time.Duration) bool { return offset >= warmup })
			spec.MaxArrivals = 17
			if first := offsets(t, spec); !slices.Equal(first, all[:measured+17]) || (measured > 0) != (warmup > 0) {
				t.Errorf("%s: %d arrivals, want the %d of the warm-up and the first 17 others", process, len(first), measured)
			}
		}
	}
}

func TestCheckRefusesUnusableSpecs(t *testing.T) {
	for _, spec := range []Spec{
		{Process: "steady", Rates: steady(1), Duration: 1},
		{Process: Constant, Duration: 1},
		{Process: Poisson, Rates: steady(-1), Duration: 1},
		{Process: Poisson, Rates: []Stage{{1, math.Inf(1)}}, Duration: 1},
		{Process: Constant, Rates: []Stage{{0, 0}}, Duration: 1},
		{Process: Replay, Duration: 1},
		{Process: Replay, Trace: &Trace{Offsets: []time.Duration{0, 1}, InputTokens: []int64{1}}, Duration: 1},
		{Process: Poisson, Rates: steady(math.NaN()), Duration: 1},
		{Process: Gamma, Rates: steady(1), Duration: 1},
		{Process: Closed},
		{Process: Closed, Duration: 1, Warmup: -1},
		{Process: Closed, Duration: 1, MaxArrivals: -1},
	} {
		if spec.Check() == nil {
			t.Errorf("%+v was accepted", spec)
		}
	}
}
