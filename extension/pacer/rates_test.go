package pacer

import (
	"math"
	"slices"
	"testing"
	"time"
)

// arrivalsBy is the integral of a spec's rate, worked out step by step: the truth that the inverse is compared with.
func arrivalsBy(spec Spec, at float64) float64 {
	total, begun := 0.0, 0.0
	length := spec.Duration.Seconds() / float64(len(spec.Rates))
	for _, s := range append([]stretch{{Stage{spec.Rates[0].From, spec.Rates[0].From}, spec.Warmup.Seconds()}}, stretches(spec.Rates, length)...) {
		t := min(max(at-begun, 0), s.seconds)
		if s.seconds > 0 {
			total += s.From*t + (s.To-s.From)/s.seconds*t*t/2
		}
		begun += s.seconds
	}
	return total
}

func stretches(stages []Stage, seconds float64) (all []stretch) {
	for _, stage := range stages {
		all = append(all, stretch{stage, seconds})
	}
	return all
}

// rescaledGaps are the gaps counted in arrivals that were to be expected: exponential of rate 1 for any Poisson process
// (the time-rescaling theorem).
func rescaledGaps(offsets []time.Duration, spec Spec) []float64 {
	out, before := make([]float64, 0, len(offsets)), 0.0
	for _, offset := range offsets {
		by := arrivalsBy(spec, offset.Seconds())
		out = append(out, by-before)
		before = by
	}
	return out
}

func TestConstantArrivalsAreDueWhenTheIntegralOfTheRateReachesTheirNumber(t *testing.T) {
	for name, rates := range map[string][]Stage{
		"ramp up":          {{10, 100}},
		"ramp down":        {{100, 1}},
		"from nothing":     {{0, 100}},
		"to nothing":       {{100, 0}},
		"hardly a ramp":    {{50, 50.001}},
		"steps":            {{10, 10}, {20, 20}, {40, 40}},
		"ramp, then steps": {{10, 50}, {50, 50}, {5, 5}},
		"a pause":          {{30, 30}, {0, 0}, {30, 30}},
	} {
		spec := Spec{Process: Constant, Rates: rates, Warmup: 2 * time.Second, Duration: 30 * time.Second}
		all := offsets(t, spec)
		// In floating point the integral up to the end can be a hair above a whole number.
		if want := math.Ceil(arrivalsBy(spec, 32) - 1e-4); float64(len(all)) != want {
			t.Errorf("%s: %d arrivals, want %v", name, len(all), want)
		}
		for k, offset := range all {
			// A nanosecond of rounding is so many arrivals.
			if by := arrivalsBy(spec, offset.Seconds()); math.Abs(by-float64(k)) > 1e-6 {
				t.Fatalf("%s: arrival %d is due at %v, when the integral is %v", name, k, offset, by)
			}
		}
	}
}

func TestStepsAreExact(t *testing.T) {
	all := offsets(t, Spec{Process: Constant, Rates: []Stage{{10, 10}, {20, 20}, {40, 40}}, Warmup: time.Second, Duration: 3 * time.Second})
	var want []time.Duration
	for k := range 20 {
		want = append(want, time.Duration(k)*100*time.Millisecond)
	}
	for k := range 20 {
		want = append(want, 2*time.Second+time.Duration(k)*50*time.Millisecond)
	}
	for k := range 40 {
		want = append(want, 3*time.Second+time.Duration(k)*25*time.Millisecond)
	}
	if len(all) != len(want) {
		t.Fatalf("%d arrivals, want %d", len(all), len(want))
	}
	for k := range want {
		if all[k] != want[k] {
			t.Errorf("arrival %d at %v, want %v", k, all[k], want[k])
		}
	}
}

func TestNothingIsDueInAPause(t *testing.T) {
	spec := Spec{Process: Poisson, Rates: []Stage{{50, 50}, {0, 0}, {50, 50}}, Duration: 30 * time.Second, Seed: 2}
	before, after := 0, 0
	for _, offset := range offsets(t, spec) {
		switch {
		case offset <= 10*time.Second:
			before++
		case offset < 20*time.Second:
			t.Errorf("an arrival at %v", offset)
		default:
			after++
		}
	}
	if before < 400 || after < 400 {
		t.Errorf("%d before and %d after the pause, want about 500 each", before, after)
	}
}

func TestRampedPoissonArrivalsPassKolmogorovSmirnov(t *testing.T) {
	for name, rates := range map[string][]Stage{
		"ramp": {{10, 300}}, "steps": {{20, 20}, {200, 200}, {80, 80}}, "both": {{0, 200}, {200, 200}, {200, 10}},
	} {
		for seed := range uint64(5) {
			spec := Spec{Process: Poisson, Rates: rates, Warmup: 5 * time.Second, Duration: 30 * time.Second, Seed: seed}
			between := rescaledGaps(offsets(t, spec), spec)
			if d, most := kolmogorovSmirnov(between, 1), 1.628/math.Sqrt(float64(len(between))); d >= most {
				t.Errorf("%s, seed %d: D is %.4f of %d, want below %.4f", name, seed, d, len(between), most)
			}
		}
	}
}

func TestRampedGammaArrivalsHaveTheirCV(t *testing.T) {
	for _, cv := range []float64{0.5, 2} {
		spec := Spec{Process: Gamma, CV: cv, Rates: []Stage{{100, 900}, {900, 900}}, Duration: 100 * time.Second, Seed: 4}
		mean, seen := meanAndCV(rescaledGaps(offsets(t, spec), spec))
		if math.Abs(mean-1) > 0.03 || math.Abs(seen/cv-1) > 0.05 {
			t.Errorf("cv %v: rescaled gaps have mean %.3f and cv %.3f", cv, mean, seen)
		}
	}
}

func TestNoArrivalIsDueWhileTheRateIsZero(t *testing.T) {
	const second = time.Second
	half := func(from time.Duration, n int) (all []time.Duration) {
		for k := range n {
			all = append(all, from+time.Duration(k)*500*time.Millisecond)
		}
		return all
	}
	for _, tt := range []struct {
		name  string
		spec  Spec
		want  []time.Duration
		after time.Duration // no arrival is before
	}{
		{"a first step at rate 0", Spec{Rates: []Stage{{0, 0}, {2, 2}}, Duration: 4 * second}, half(2*second, 4), 2 * second},
		{"several of them", Spec{Rates: []Stage{{0, 0}, {0, 0}, {2, 2}}, Duration: 6 * second}, half(4*second, 4), 4 * second},
		{"a warm-up at rate 0", Spec{Rates: []Stage{{0, 0}, {2, 2}}, Warmup: second, Duration: 4 * second}, half(3*second, 4), 3 * second},
		{"a last step at rate 0", Spec{Rates: []Stage{{2, 2}, {0, 0}}, Duration: 4 * second}, half(0, 4), 0},
		{"a pause after a whole number of arrivals", Spec{Rates: []Stage{{2, 2}, {0, 0}, {2, 2}}, Duration: 6 * second}, append(half(0, 4), half(4*second, 4)...), 0},
		{"a pause after arrivals that floating point cannot count", Spec{Rates: []Stage{{0.1, 0.1}, {0, 0}, {0.1, 0.1}}, Duration: 90 * second},
			[]time.Duration{0, 10 * second, 20 * second, 60 * second, 70 * second, 80 * second}, 0},
		{"a ramp from 0, after a warm-up at its rate", Spec{Rates: []Stage{{0, 2}}, Warmup: second, Duration: 2 * second},
			[]time.Duration{second, second + time.Duration(math.Round(math.Sqrt2*1e9))}, second},
		{"a ramp to 0, then 0", Spec{Rates: []Stage{{2, 0}, {0, 0}}, Duration: 4 * second},
			[]time.Duration{0, 2*second - time.Duration(math.Round(math.Sqrt2*1e9))}, 0},
	} {
		spec := tt.spec
		spec.Process = Constant
		if all := offsets(t, spec); !slices.Equal(all, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, all, tt.want)
		}
		for _, process := range []Process{Poisson, Gamma} {
			spec.Process, spec.CV = process, 2
			for _, offset := range offsets(t, spec) {
				if offset < tt.after {
					t.Errorf("%s, %s: an arrival at %v", tt.name, process, offset)
				}
			}
		}
	}
}
