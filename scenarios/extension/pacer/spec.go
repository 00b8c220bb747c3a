package pacer

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Process is the way in which arrivals follow each other.
type Process string

// The arrival processes.
const (
	// Closed has no schedule: whoever is free starts again.
	Closed Process = "closed"
	// Constant has equal gaps while the rate is steady: arrival k is due when the integral of the rate reaches k.
	Constant Process = "constant"
	// Poisson has exponential gaps.
	Poisson Process = "poisson"
	// Gamma has gamma-distributed gaps of a given coefficient of variation; above 1 they come in bursts.
	Gamma Process = "gamma"
	// Replay has the arrivals of a trace.
	Replay Process = "trace"
)

// Spec says how arrivals are made, and for how long.
type Spec struct {
	Process Process
	// Rates are those of the whole run: stages of Duration, all equally long. Of no meaning when Closed or Replay.
	Rates []Stage
	// CV is the coefficient of variation of the gaps of Gamma.
	CV float64
	// Trace is what Replay replays.
	Trace *Trace
	// Warmup comes before Duration, at the first rate; both have arrivals.
	Warmup, Duration time.Duration
	// MaxArrivals bounds the arrivals of the whole run, by their number; 0 for no bound.
	MaxArrivals int64
	Seed        uint64
	// Segment is the share of the run that this process has.
	Segment Segment
	// StartAt is when the schedule starts; the zero time for when the first slot asks.
	StartAt time.Time
}

// total is the time in which arrivals are due.
func (s Spec) total() time.Duration { return s.Warmup + s.Duration }

// Check says what makes the spec unusable.
func (s Spec) Check() error {
	if err := s.check(); err != nil {
		return fmt.Errorf("cannot schedule arrivals: %w", err)
	}
	return nil
}

func (s Spec) check() error {
	switch s.Process {
	case Closed:
	case Gamma, Poisson, Constant:
		if err := checkRates(s.Rates); err != nil {
			return err
		}
	case Replay:
		if err := s.Trace.check(); err != nil {
			return err
		}
	default:
		return fmt.Errorf("process %q is none of closed, constant, poisson, gamma, trace", s.Process)
	}
	if s.Process == Gamma && (!(s.CV > 0) || math.IsInf(s.CV, 0)) {
		return fmt.Errorf("cv is %v; give a coefficient of variation above 0", s.CV)
	}
	if s.Warmup < 0 || s.Duration <= 0 || s.MaxArrivals < 0 {
		return fmt.Errorf("warmup %v, duration %v, at most %d; give a duration above 0 and nothing below 0",
			s.Warmup, s.Duration, s.MaxArrivals)
	}
	return nil
}

// CheckStart says that StartAt has passed.
func (s Spec) CheckStart(now time.Time) error {
	if s.StartAt.IsZero() || now.Before(s.StartAt) {
		return nil
	}
	return fmt.Errorf("cannot start at %s: by this machine's clock that was %.1f s ago, and the load client was not ready before; "+
		"give a later instant, and check the clock", s.StartAt.UTC().Format(time.RFC3339Nano), now.Sub(s.StartAt).Seconds())
}

func checkRates(stages []Stage) error {
	highest := 0.0
	for _, stage := range stages {
		for _, rate := range []float64{stage.From, stage.To} {
			if !(rate >= 0) || math.IsInf(rate, 0) {
				return fmt.Errorf("a rate is %v; give numbers of arrivals a second", rate)
			}
			highest = max(highest, rate)
		}
	}
	if highest == 0 {
		return errors.New("no rate is above 0; give a number of arrivals a second")
	}
	return nil
}
