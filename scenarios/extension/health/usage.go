package health

import (
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// usage is what the process has used so far.
type usage struct {
	at       time.Time
	cpu      time.Duration
	cpuKnown bool
	rss      int64 // bytes; 0 when the system does not say
	heap     uint64
	cycles   int64
	pause    time.Duration
}

// sampleUsage stops no other goroutine: it reads runtime/metrics and not runtime.MemStats.
func sampleUsage() usage {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(heap)
	var collector debug.GCStats
	debug.ReadGCStats(&collector)
	u := usage{at: time.Now(), heap: heap[0].Value.Uint64(), cycles: collector.NumGC, pause: collector.PauseTotal}
	u.cpu, u.cpuKnown = processCPU()
	u.rss = residentBytes()
	return u
}
