// Package pacer decides when requests start: it gives the arrivals of one absolute schedule to whichever virtual user is
// free.
package pacer

import (
	"math"
	"math/rand/v2"
	"time"
)

// Due is one arrival of a schedule.
type Due struct {
	// Index is its number within the whole run, from 0.
	Index  int64
	Offset time.Duration
	// Lengths in tokens, from the trace; 0 when they are not known.
	InputTokens, OutputTokens int64
}

// Schedule yields the arrivals of an open loop, in order. It has no clock.
//
// All processes but a trace are drawn at a rate of one arrival per unit and then mapped to time by the inverse of the
// cumulative rate. One profile of rates serves them all, and a constant rate is exact.
type Schedule struct {
	spec    Spec
	random  *rand.Rand
	profile profile
	numbers stripe  // of the arrivals
	quota   quota   // of measured arrivals
	drawn   int64   // gaps drawn, of Gamma
	units   float64 // of the last arrival
	bounded bool    // it ended by MaxArrivals
}

// NewSchedule starts the schedule of a valid spec that is not Closed. The same spec gives the same schedule.
func NewSchedule(spec Spec) *Schedule {
	stream := uint64(spec.stream) * streamStep
	if spec.Process == Poisson {
		stream ^= spec.Segment.Key // shards are independent; those of other processes share one schedule
	}
	return &Schedule{
		spec: spec, random: rand.New(rand.NewPCG(spec.Seed, stream)), profile: newProfile(spec),
		numbers: stripe{segment: spec.Segment}, quota: newQuota(spec),
	}
}

// streamStep keeps the random numbers of the streams of a run apart: 2 to the power of 64, divided by the golden ratio.
const streamStep = 0x9e3779b97f4a7c15

// Next returns the next arrival, or false after the last.
func (s *Schedule) Next() (Due, bool) {
	due, ok := s.due(s.numbers.take())
	if !ok || due.Offset >= s.spec.total() {
		return Due{}, false
	}
	if due.Offset >= s.spec.Warmup && !s.quota.take(due.Index) {
		s.bounded = true
		return Due{}, false
	}
	return due, true
}

func (s *Schedule) due(index int64) (Due, bool) {
	if s.spec.Process == Replay {
		return s.spec.Trace.due(index)
	}
	switch s.spec.Process {
	case Constant:
		s.units = float64(index)
	case Poisson:
		s.units += s.random.ExpFloat64() / s.spec.Segment.share()
	case Gamma:
		shape := 1 / (s.spec.CV * s.spec.CV)
		for ; s.drawn <= index; s.drawn++ {
			s.units += gamma(s.random, shape) / shape
		}
	}
	offset, ok := s.profile.when(s.units)
	return Due{Index: index, Offset: offset}, ok
}

// gamma draws from the gamma distribution of scale 1 (G. Marsaglia and W. W. Tsang, A simple method for generating
// gamma variables, 2000).
func gamma(random *rand.Rand, shape float64) float64 {
	if shape < 1 {
		return gamma(random, shape+1) * math.Pow(1-random.Float64(), 1/shape)
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := random.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v *= v * v
		if math.Log(1-random.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}
