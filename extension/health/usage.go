package health

import (
	"runtime/debug"
	"runtime/metrics"
	"time"

	"assay.dev/k6/system"
)

// usage is what the process has used so far.
type usage struct {
	at       time.Time
	cpu      time.Duration
	cpuKnown bool
	rss      int64 // bytes; 0 when it is not known
	heap     uint64
	live     uint64 // heap at the end of the last collection
	cycles   int64
	pause    time.Duration
	// collector is the CPU time of the garbage collector; it is known up to the end of its last cycle.
	collector time.Duration
	// runDelays is how long each thread has waited for a CPU; nil when it is not known.
	runDelays map[string]time.Duration
	// throttled is how often the CPU limit of the control group paused the process.
	throttled      int64
	throttledKnown bool
}

// sampleUsage reads runtime/metrics and not runtime.MemStats, so that it stops no other goroutine.
func sampleUsage() usage {
	runtime := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(runtime)
	var collector debug.GCStats
	debug.ReadGCStats(&collector)
	u := usage{
		at: time.Now(), heap: runtime[0].Value.Uint64(), live: runtime[2].Value.Uint64(), cycles: collector.NumGC, pause: collector.PauseTotal,
		collector: time.Duration(runtime[1].Value.Float64() * float64(time.Second)),
	}
	u.cpu, u.cpuKnown = processCPU()
	u.rss = residentBytes()
	u.runDelays = runDelays()
	u.throttled, u.throttledKnown = system.Throttled()
	return u
}

// delayBetween sums the waits of all threads between two samples; a thread that ended in between is not counted.
func delayBetween(before, now map[string]time.Duration) time.Duration {
	var sum time.Duration
	for thread, delay := range now {
		sum += max(delay-before[thread], 0)
	}
	return sum
}
