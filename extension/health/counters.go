// Package health measures the load generator itself: what it uses, how many requests are in flight and how late it is. It
// writes one line per second to client.jsonl, which shows whether a run measured the target or the limits of its client.
package health

import (
	"sync"
	"sync/atomic"
	"time"

	"assay.dev/k6/httpstream"
)

// Counters count the requests of a run. They are safe for concurrent use.
type Counters struct {
	// Idle is called whenever the last open request has ended; nil for nothing to do. Set it before the first.
	Idle func()
	// Streams is called before each stream begins; nil for nothing to do. Set it before the first request.
	Streams func()
	// Network counts the connections.
	Network httpstream.Network
	open    atomic.Int64

	mu       sync.Mutex
	lags     []time.Duration // of the arrivals since the last Take
	ttft     []time.Duration // of the ok requests since the last Take
	e2e      []time.Duration
	outcomes map[httpstream.Outcome]int64
	answered int64 // requests that ended and had a response
	clock    targetClock
}

// Open is the number of requests in flight.
func (c *Counters) Open() int64 { return c.open.Load() }

// Started counts a request that begins.
func (c *Counters) Started() { c.open.Add(1) }

// Stream announces a stream, before the clock of its request starts.
func (c *Counters) Stream() {
	if c.Streams != nil {
		c.Streams()
	}
}

// Lagged records the schedule lag of an arrival.
func (c *Counters) Lagged(lag time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lags = append(c.lags, lag)
}

// Ended counts a request that ended.
func (c *Counters) Ended(r *httpstream.Result) {
	if c.open.Add(-1) == 0 && c.Idle != nil {
		defer c.Idle()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.outcomes == nil {
		c.outcomes = map[httpstream.Outcome]int64{}
	}
	c.outcomes[r.Outcome]++
	if r.Status > 0 {
		c.answered++
		c.clock.saw(r)
	}
	if r.Outcome != httpstream.OK {
		return
	}
	c.e2e = append(c.e2e, r.E2E)
	if r.TTFT != httpstream.NotMeasured {
		c.ttft = append(c.ttft, r.TTFT)
	}
}

// second is what happened since the last take, and the sums so far.
type second struct {
	lags, ttft, e2e []time.Duration
	outcomes        map[httpstream.Outcome]int64
	completed, ok   int64
	answered        int64
	open            int64
	clock           []float64
}

func (c *Counters) take() second {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := second{
		lags: c.lags, ttft: c.ttft, e2e: c.e2e, outcomes: map[httpstream.Outcome]int64{},
		open: c.open.Load(), ok: c.outcomes[httpstream.OK],
		answered: c.answered, clock: c.clock.bounds(),
	}
	for outcome, n := range c.outcomes {
		s.outcomes[outcome] = n
		s.completed += n
	}
	c.lags, c.ttft, c.e2e = nil, nil, nil
	return s
}
