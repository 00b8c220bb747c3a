// Package system deals with what the process may use of the machine: it disables the garbage collector within the memory
// available, because collections are the largest error of measured times on a loaded client, and it counts how often a
// CPU limit paused the process.
package system

import (
	"os"
	"runtime/debug"
)

// mostCollections is how many collections per second show that the live heap has come near the limit. The collector
// would then run without end.
const mostCollections = 5

// Collector disables the garbage collector until memory is short.
type Collector struct {
	disabled bool
	set      int64
	percent  int
	limit    int64
}

// DisableCollector collects once, returns what is free to the system, and turns collections off below limit bytes:
// garbage made before, by the set-up of virtual users, would stay for the whole run. It changes nothing without a limit,
// or when the user has set GOGC or GOMEMLIMIT.
func DisableCollector(limit int64) *Collector {
	if limit <= 0 || os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return &Collector{}
	}
	debug.FreeOSMemory()
	return &Collector{disabled: true, set: limit, percent: debug.SetGCPercent(-1), limit: debug.SetMemoryLimit(limit)}
}

// Limit is the memory below which the collector is disabled, in bytes; 0 when it is enabled.
func (c *Collector) Limit() int64 {
	if !c.disabled {
		return 0
	}
	return c.set
}

// Observe takes the collections of each second. It enables the collector when they show that the limit is too small.
func (c *Collector) Observe(cycles int64) {
	if cycles >= mostCollections {
		c.Restore()
	}
}

// Restore restores what was set before.
func (c *Collector) Restore() {
	if !c.disabled {
		return
	}
	c.disabled = false
	debug.SetGCPercent(c.percent)
	debug.SetMemoryLimit(c.limit)
}
