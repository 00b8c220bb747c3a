package pacer

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Process is the distribution of arrivals.
type Process string

// The arrival processes.
const (
	// Closed has no schedule: a virtual user that is free starts again.
	Closed Process = "closed"
	// Constant has equal gaps while the rate is constant: arrival k is due when the integral of the rate reaches k.
	Constant Process = "constant"
	// Poisson has exponential gaps.
	Poisson Process = "poisson"
	// Gamma has gamma-distributed gaps of a given coefficient of variation; above 1 they come in bursts.
	Gamma Process = "gamma"
	// Replay has the arrivals of a trace.
	Replay Process = "trace"
)

// Spec describes the arrivals and how long they last.
type Spec struct {
	Process Process
	// Rates are those of the whole run: stages of Duration, all equally long. Unused when Closed or Replay.
	Rates []Stage
	// CV is the coefficient of variation of the gaps of Gamma.
	CV float64
	// Trace is what Replay replays.
	Trace *Trace
	// Users is the number of virtual users of the whole run, and RampUp the time over which they start, evenly spread:
	// one after another, each at its part of it. Both are of Closed; without RampUp all start at once.
	Users  int64
	RampUp time.Duration
	// Warmup comes before Duration, at the first rate; both have arrivals.
	Warmup, Duration time.Duration
	// MaxArrivals is the maximum number of measured arrivals of the whole run; 0 for no maximum.
	MaxArrivals int64
	Seed        uint64
	// Segment is the share of this process in the run.
	Segment Segment
	// HandsOver says that virtual users need nothing of the responses: each takes the next arrival while the request is under way.
	HandsOver bool
	// StartAt is when the schedule starts; the zero time for the first call of [Slot.Next].
	StartAt time.Time

	// stream is the position of its arrivals among the streams of the run, and streams their number; 0 for a single one.
	stream, streams int64
}

// number is the number within the run of an arrival of this stream, from its number within the stream.
func (s Spec) number(within int64) int64 { return within*max(1, s.streams) + s.stream }

// startFrom is when the schedule starts, if it begins now.
func (s Spec) startFrom(now time.Time) time.Time {
	if s.StartAt.IsZero() {
		return now
	}
	return now.Add(s.StartAt.Sub(now)) // keeps the monotonic reading
}

// total is the scheduled time.
func (s Spec) total() time.Duration { return s.Warmup + s.Duration }

// Check returns what makes the spec unusable.
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
		return fmt.Errorf("process %q is not one of closed, constant, poisson, gamma, trace", s.Process)
	}
	if s.Process == Gamma && (!(s.CV > 0) || math.IsInf(s.CV, 0)) {
		return fmt.Errorf("cv is %v; give a coefficient of variation above 0", s.CV)
	}
	if s.RampUp < 0 || s.RampUp > 0 && s.Users <= 0 {
		return fmt.Errorf("ramp-up %v of %d users; give the number of users, and nothing below 0", s.RampUp, s.Users)
	}
	if s.Warmup < 0 || s.Duration <= 0 || s.MaxArrivals < 0 {
		return fmt.Errorf("warmup %v, duration %v, at most %d; give a duration above 0 and nothing below 0",
			s.Warmup, s.Duration, s.MaxArrivals)
	}
	return nil
}

// CheckStart returns an error when StartAt has passed.
func (s Spec) CheckStart(now time.Time) error {
	if s.StartAt.IsZero() || now.Before(s.StartAt) {
		return nil
	}
	return fmt.Errorf("cannot start at %s: by this machine's clock that was %.1f s ago, and the load generator was not ready before; "+
		"give a later instant, and check the clock", s.StartAt.UTC().Format(time.RFC3339Nano), now.Sub(s.StartAt).Seconds())
}

func checkRates(stages []Stage) error {
	highest := 0.0
	for _, stage := range stages {
		for _, rate := range []float64{stage.From, stage.To} {
			if !(rate >= 0) || math.IsInf(rate, 0) {
				return fmt.Errorf("a rate is %v; give arrivals per second, 0 or more", rate)
			}
			highest = max(highest, rate)
		}
	}
	if highest == 0 {
		return errors.New("no rate is above 0; give arrivals per second")
	}
	return nil
}
