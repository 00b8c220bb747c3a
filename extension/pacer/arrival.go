package pacer

import "time"

// Phase is the part of a run that a request belongs to.
type Phase string

// The phases. Warm-up is measured and left out of the result; in the drain nothing new starts.
const (
	Warmup  Phase = "warmup"
	Measure Phase = "measure"
	Drain   Phase = "drain"
)

// Arrival is one start of the schedule.
type Arrival struct {
	// Index is its number within the whole run, from 0: unique over the shards of the run.
	Index int64
	Phase Phase
	// Lengths in tokens, from the trace; 0 when they are not known.
	InputTokens, OutputTokens int64
	// Scheduled is when it should start; zero in a closed loop, where requests are not scheduled.
	Scheduled time.Time
	// Free is when a slot became free for it.
	Free time.Time
}

// Counts are numbers of arrivals. The difference of offered and started are those that got no slot so far.
type Counts struct{ Offered, Started PhaseCounts }

// PhaseCounts are numbers by phase.
type PhaseCounts struct{ Warmup, Measure int64 }

func (c *PhaseCounts) sum(other PhaseCounts) {
	c.Warmup += other.Warmup
	c.Measure += other.Measure
}

func (c *PhaseCounts) add(phase Phase, n int64) {
	if phase == Warmup {
		c.Warmup += n
	} else {
		c.Measure += n
	}
}
