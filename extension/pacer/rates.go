package pacer

import (
	"math"
	"time"
)

// Stage is a part of a run in which the rate changes linearly, in arrivals per second.
type Stage struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
}

// profile is the inverse of the cumulative rate: the time by which a number of arrivals is due, in ascending order.
type profile struct {
	stretches []stretch // the one under way first
	begun     float64   // seconds before it
	passed    float64   // arrivals before it
}

// stretch is a stage and its length in seconds.
type stretch struct {
	Stage
	seconds float64
}

func newProfile(spec Spec) profile {
	var p profile
	if len(spec.Rates) == 0 {
		return p
	}
	p.add(stretch{Stage{spec.Rates[0].From, spec.Rates[0].From}, spec.Warmup.Seconds()})
	for _, stage := range spec.Rates {
		p.add(stretch{stage, spec.Duration.Seconds() / float64(len(spec.Rates))})
	}
	return p
}

// add joins stretches of the same constant rate, so that a constant run is one stretch and its times are exact.
func (p *profile) add(next stretch) {
	if last := len(p.stretches) - 1; last >= 0 && p.stretches[last].steady(next.From) && next.steady(next.From) {
		p.stretches[last].seconds += next.seconds
		return
	}
	p.stretches = append(p.stretches, next)
}

// countingError is the most by which sums of arrivals in floating point are wrong.
const countingError = 1e-9

// when is the latest time until which no more than this number of arrivals is due, so that what would be due at the beginning
// of a pause is due at its end; false when the run ends before.
func (p *profile) when(arrivals float64) (time.Duration, bool) {
	for ; len(p.stretches) > 0; p.stretches = p.stretches[1:] {
		current := p.stretches[0]
		if left := arrivals - p.passed; left < current.arrivals()-countingError {
			return seconds(p.begun + current.when(left)), true
		}
		p.begun += current.seconds
		p.passed += current.arrivals()
	}
	return 0, false
}

func (s stretch) steady(rate float64) bool { return s.From == rate && s.To == rate }

// arrivals is the integral of the rate.
func (s stretch) arrivals() float64 { return (s.From + s.To) / 2 * s.seconds }

// when solves From*t + (To-From)/seconds*t*t/2 = arrivals for t, in the form that is exact when the rates are close.
func (s stretch) when(arrivals float64) float64 {
	if arrivals <= 0 {
		return 0
	}
	if s.From == s.To {
		return arrivals / s.From
	}
	root := math.Sqrt(max(0, s.From*s.From+2*(s.To-s.From)/s.seconds*arrivals))
	return min(s.seconds, 2*arrivals/(s.From+root))
}

func seconds(s float64) time.Duration {
	if s > math.MaxInt64/2/float64(time.Second) {
		return math.MaxInt64 / 2
	}
	return time.Duration(math.Round(s * float64(time.Second)))
}
