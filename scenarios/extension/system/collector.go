package system

import (
	"os"
	"runtime/debug"
)

// relapse is how many collections in a second show that the live heap has come near the limit. The collector would then
// run without end.
const relapse = 5

// Collector holds the garbage collector back until memory is short.
type Collector struct {
	held    bool
	ceiling int64
	percent int
	limit   int64
}

// HoldBack collects once, gives what was free back to the system, and turns collections off below limit bytes: garbage
// made before, by the set-up of virtual users, would stay for the whole run. It changes nothing without a limit, or when
// the user has set GOGC or GOMEMLIMIT.
func HoldBack(limit int64) *Collector {
	if limit <= 0 || os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return &Collector{}
	}
	debug.FreeOSMemory()
	return &Collector{held: true, ceiling: limit, percent: debug.SetGCPercent(-1), limit: debug.SetMemoryLimit(limit)}
}

// Limit is the memory up to which the collector is held back, in bytes; 0 when it is not.
func (c *Collector) Limit() int64 {
	if !c.held {
		return 0
	}
	return c.ceiling
}

// Observe is told the collections of each second. It lets the collector go when they show that the limit is too small.
func (c *Collector) Observe(cycles int64) {
	if cycles >= relapse {
		c.Release()
	}
}

// Release restores what was set before.
func (c *Collector) Release() {
	if !c.held {
		return
	}
	c.held = false
	debug.SetGCPercent(c.percent)
	debug.SetMemoryLimit(c.limit)
}
