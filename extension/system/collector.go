// Package system deals with what the process may use of the machine: it collects garbage when nothing is measured,
// because collections are the largest error of measured times on a loaded client, and it counts how often a CPU limit
// paused the process.
package system

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// mostCollections is how many collections per second show that the live heap has come near the limit. The collector
	// would then run without end.
	mostCollections = 5
	// leastGarbage is less than what a collection is worth, in bytes.
	leastGarbage = 32 << 20
	// mostGarbage is how many times as large as the live heap the garbage may become while no moment is idle for long
	// enough, and mostGarbageBytes what it may become however small the live heap is. A collection takes as long as the live
	// heap is large, so that they take a share of the time that no percentile shows.
	mostGarbage, mostGarbageBytes = 4, 128 << 20
	// margin is how many times as long as the last collection an idle moment must be.
	margin = 1.5
	// plainGarbage is what the garbage becomes before a collection, in bytes, in a run without streams.
	plainGarbage = 64 << 20
	// mostWeighings is how long a collection that is overdue waits for a moment without an open request, in seconds.
	mostWeighings = 10
)

// Collector replaces the schedule of the garbage collector. In a run without streams, a collection comes after a bounded amount
// of garbage: a closed loop has no idle moments, and a request that is answered at once does not show it. From the first
// stream on it collects in idle moments, and also when there is very much garbage or memory is short.
type Collector struct {
	mu       sync.Mutex // of the settings
	disabled bool
	set      int64
	percent  int
	limit    int64
	plain    int         // the percentage that holds while there are no streams
	streams  atomic.Bool // there was one
	streamed bool        // there was one when the heap was last observed

	idle        func(d time.Duration) bool
	collect     func()
	need        atomic.Int32
	opportunity chan struct{} // there may be an idle moment
	took        time.Duration // of the last collection
	waited      int           // weighings in a row that were overdue
}

// What kind of moment a collection waits for.
const (
	needless int32 = iota
	wanted         // one that is idle for long enough
	overdue        // one without an open request
	forced         // none
)

// DisableCollector collects once, returns what is free to the system, and takes over the schedule of the collector below limit
// bytes: garbage made before, by the set-up of virtual users, would stay for long. It changes nothing without a limit,
// or when the user has set GOGC or GOMEMLIMIT. idle tells whether nothing is measured for some time from now on.
func DisableCollector(limit int64, idle func(d time.Duration) bool) *Collector {
	if limit <= 0 || os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return &Collector{}
	}
	debug.FreeOSMemory()
	c := newCollector(idle, runtime.GC)
	c.disabled, c.set = true, limit
	c.percent, c.limit = debug.SetGCPercent(-1), debug.SetMemoryLimit(limit)
	c.run()
	c.pace(liveHeap())
	go func() {
		for range c.opportunity {
			c.try()
		}
	}()
	return c
}

// liveHeap is what was live at the last collection, in bytes.
func liveHeap() int64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return int64(live[0].Value.Uint64())
}

// pace sets after how much garbage a run without streams collects.
func (c *Collector) pace(live int64) {
	live = max(live, 1<<20)
	percent := int(100 * max(plainGarbage, live) / live)
	if change := percent - c.plain; max(change, -change) > c.plain/10 {
		c.plain = percent
		debug.SetGCPercent(percent)
	}
}

// Streams says that a stream is about to begin: from now on, no collection starts by itself.
func (c *Collector) Streams() {
	if c == nil || c.streams.Load() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.streams.Swap(true) && c.disabled {
		debug.SetGCPercent(-1)
	}
}

func newCollector(idle func(d time.Duration) bool, collect func()) *Collector {
	return &Collector{idle: idle, collect: collect, opportunity: make(chan struct{}, 1)}
}

// Opportunity says that there may be an idle moment.
func (c *Collector) Opportunity() {
	if c == nil || c.need.Load() == needless {
		return
	}
	select {
	case c.opportunity <- struct{}{}:
	default:
	}
}

// try collects if there is garbage and the moment allows it.
func (c *Collector) try() {
	switch c.need.Load() {
	case needless:
		return
	case wanted:
		if !c.idle(time.Duration(margin * float64(c.took))) {
			return
		}
	case overdue:
		if !c.idle(0) {
			return
		}
	}
	c.run()
}

// run collects, and measures how long that takes.
func (c *Collector) run() {
	start := time.Now()
	c.collect()
	c.took = time.Since(start)
	c.need.Store(needless)
}

// Heap is the size of the heap in bytes: what was live at the last collection, and what there is by now.
type Heap struct{ Live, Now int64 }

// weigh decides whether a collection is due.
func (c *Collector) weigh(heap Heap) {
	garbage := heap.Now - heap.Live
	isOverdue := garbage >= max(mostGarbageBytes, mostGarbage*heap.Live)
	c.waited++
	switch {
	case isOverdue && c.waited > mostWeighings:
		c.need.Store(forced)
	case isOverdue:
		c.need.Store(overdue)
	case garbage >= max(leastGarbage, heap.Live):
		c.need.Store(wanted)
	default:
		c.need.Store(needless)
	}
	if !isOverdue {
		c.waited = 0
	}
	c.Opportunity()
}

// Limit is the memory below which the collector is disabled, in bytes; 0 when it is enabled.
func (c *Collector) Limit() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.disabled {
		return 0
	}
	return c.set
}

// Observe takes the collections of each second and the heap after it. It enables the collector when they show that the limit
// is too small: what is live does not fit into it, or leaves so little that collections follow each other.
func (c *Collector) Observe(cycles int64, heap Heap) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.disabled {
		return
	}
	streamed := c.streamed
	c.streamed = c.streams.Load()
	if streamed && cycles >= mostCollections || heap.Live > c.set {
		c.restore()
		return
	}
	if !c.streamed {
		c.pace(heap.Live)
	}
	c.weigh(heap)
}

// Restore restores what was set before.
func (c *Collector) Restore() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.restore()
}

// restore does that; mu is held.
func (c *Collector) restore() {
	if !c.disabled {
		return
	}
	c.disabled = false
	c.need.Store(needless)
	debug.SetGCPercent(c.percent)
	debug.SetMemoryLimit(c.limit)
}
