// Package pacer decides when requests start: it hands the arrivals of one absolute schedule to whichever virtual user is
// free.
package pacer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// Process is the way in which arrivals follow each other.
type Process string

// The arrival processes.
const (
	// Closed has no schedule: whoever is free starts again.
	Closed Process = "closed"
	// Constant has equal gaps.
	Constant Process = "constant"
	// Poisson has exponential gaps.
	Poisson Process = "poisson"
	// Gamma has gamma-distributed gaps of a given coefficient of variation; above 1 they come in bursts.
	Gamma Process = "gamma"
)

// Spec says how arrivals are made, and for how long.
type Spec struct {
	Process Process
	// Rate is the number of arrivals a second of the whole run; of no meaning when Closed.
	Rate float64
	// CV is the coefficient of variation of the gaps of Gamma.
	CV float64
	// Warmup comes before Duration; both have arrivals.
	Warmup, Duration time.Duration
	// MaxArrivals bounds the arrivals of this process; 0 for no bound.
	MaxArrivals int64
	Seed        uint64
	// Segment is the share of the run that this process has.
	Segment Segment
}

// total is the time in which arrivals are due.
func (s Spec) total() time.Duration { return s.Warmup + s.Duration }

// Check says what makes the spec unusable.
func (s Spec) Check() error {
	switch s.Process {
	case Closed:
	case Gamma, Poisson, Constant:
		if !(s.Rate > 0) || math.IsInf(s.Rate, 0) {
			return fmt.Errorf("cannot schedule arrivals: rate is %v; give a number of arrivals a second above 0", s.Rate)
		}
	default:
		return fmt.Errorf("cannot schedule arrivals: process %q is none of closed, constant, poisson, gamma", s.Process)
	}
	if s.Process == Gamma && (!(s.CV > 0) || math.IsInf(s.CV, 0)) {
		return fmt.Errorf("cannot schedule arrivals: cv is %v; give a coefficient of variation above 0", s.CV)
	}
	if s.Warmup < 0 || s.Duration <= 0 || s.MaxArrivals < 0 {
		return fmt.Errorf("cannot schedule arrivals: warmup %v, duration %v, at most %d; give a duration above 0 and nothing below 0",
			s.Warmup, s.Duration, s.MaxArrivals)
	}
	return nil
}

// Schedule yields the offsets of an open loop's arrivals, in order. It has no clock.
type Schedule struct {
	spec   Spec
	random *rand.Rand
	count  int64
	at     float64 // seconds; of the last random arrival
	index  int64   // of the last constant arrival within the whole run
}

// NewSchedule starts the schedule of a valid spec that is not Closed. The same spec gives the same schedule.
func NewSchedule(spec Spec) *Schedule {
	return &Schedule{spec: spec, random: rand.New(rand.NewPCG(spec.Seed, spec.Segment.Key))}
}

// Next returns the offset of the next arrival, or false after the last.
func (s *Schedule) Next() (time.Duration, bool) {
	if s.spec.MaxArrivals > 0 && s.count >= s.spec.MaxArrivals {
		return 0, false
	}
	offset := s.offset()
	if offset >= s.spec.total() {
		return 0, false
	}
	s.count++
	return offset, true
}

func (s *Schedule) offset() time.Duration {
	if s.spec.Process == Constant {
		s.index = s.spec.Segment.next(s.index, s.count)
		return seconds(float64(s.index) / s.spec.Rate)
	}
	gap := s.random.ExpFloat64()
	if s.spec.Process == Gamma {
		shape := 1 / (s.spec.CV * s.spec.CV)
		gap = gamma(s.random, shape) / shape
	}
	s.at += gap / (s.spec.Rate * s.spec.Segment.share())
	return seconds(s.at)
}

func seconds(s float64) time.Duration {
	if s > math.MaxInt64/2/float64(time.Second) {
		return math.MaxInt64 / 2
	}
	return time.Duration(math.Round(s * float64(time.Second)))
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
