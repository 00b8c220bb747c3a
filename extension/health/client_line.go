package health

import (
	"math"
	"slices"
	"time"

	"assay.dev/k6/httpstream"
	"assay.dev/k6/pacer"
)

// Line is one line of client.jsonl (formats/client.ts). Pointers are nil when there was nothing to measure.
type Line struct {
	T         float64  `json:"t"`
	CPU       *float64 `json:"cpu,omitempty"`
	CPUs      int      `json:"cpus"`
	RSSMB     *float64 `json:"rss_mb,omitempty"`
	HeapMB    float64  `json:"heap_mb"`
	GCCycles  int64    `json:"gc_cycles"`
	GCPauseMS float64  `json:"gc_pause_ms"`
	// MemoryLimitMB is the memory below which the garbage collector is disabled; absent when it is enabled.
	MemoryLimitMB *float64 `json:"memory_limit_mb,omitempty"`
	// GCCPUMS is the CPU time of the garbage collector, of the cycles that ended.
	GCCPUMS float64 `json:"gc_cpu_ms"`
	// RunDelayMS is how long the threads of the process waited for a CPU, in total; Throttled, how often the CPU limit of
	// its control group paused it. What the system does not report is absent.
	RunDelayMS *float64 `json:"run_delay_ms,omitempty"`
	Throttled  *int64   `json:"throttled,omitempty"`
	// Wake-up latency: quantiles of WakesUS, which lists every wake-up in whole microseconds, ascending.
	WakeP50MS         *float64                     `json:"wake_p50_ms,omitempty"`
	WakeP99MS         *float64                     `json:"wake_p99_ms,omitempty"`
	WakeMaxMS         *float64                     `json:"wake_max_ms,omitempty"`
	WakesUS           []int64                      `json:"wakes_us,omitempty"`
	Open              int64                        `json:"open"`
	InFlightLimit     int                          `json:"in_flight_limit"`
	LagP99MS          *float64                     `json:"lag_p99_ms,omitempty"`
	Offered           Phases                       `json:"offered"`
	Started           Phases                       `json:"started"`
	Ended             []int64                      `json:"ended,omitempty"` // numbers of the arrivals that ended since the previous line
	Completed         int64                        `json:"completed"`
	OK                int64                        `json:"ok"`
	Answered          int64                        `json:"answered"`
	Outcomes          map[httpstream.Outcome]int64 `json:"outcomes"`
	ConnectionsOpened int64                        `json:"connections_opened"`
	// Packets with data that came, those of them that were out of order, those that were sent again, and the least round trip, of all
	// connections; absent where TCP of this machine does not tell.
	Packets     int64    `json:"packets,omitempty"`
	OutOfOrder  int64    `json:"packets_out_of_order,omitempty"`
	SentAgain   int64    `json:"packets_sent_again,omitempty"`
	RoundTripMS *float64 `json:"round_trip_ms,omitempty"`
	TTFTP50MS   *float64 `json:"ttft_p50_ms,omitempty"`
	E2EP50MS    *float64 `json:"e2e_p50_ms,omitempty"`
	// TargetClockMS is how far the clock of the target is ahead of this machine's, at least and at most.
	TargetClockMS []float64 `json:"target_clock_ms,omitempty"`
	// ScheduleStartedAt is when the schedule of arrivals began; absent before.
	ScheduleStartedAt string `json:"schedule_started_at,omitempty"`
	Final             bool   `json:"final,omitempty"`
	// The final line also has the number of records written, what prevented more, and what stopped the run before its
	// end.
	Records *int64 `json:"records,omitempty"`
	Error   string `json:"error,omitempty"`
	Stopped string `json:"stopped,omitempty"`
}

// Phases are numbers of arrivals by phase.
type Phases struct {
	Warmup  int64 `json:"warmup"`
	Measure int64 `json:"measure"`
}

func (l *Line) requests(s second) {
	l.Open = s.open
	l.Completed, l.OK, l.Answered, l.Outcomes = s.completed, s.ok, s.answered, s.outcomes
	l.TargetClockMS = s.clock
	l.LagP99MS = quantile(s.lags, 0.99)
	l.TTFTP50MS = quantile(s.ttft, 0.5)
	l.E2EP50MS = quantile(s.e2e, 0.5)
}

// connections sets what is known of them.
func (l *Line) connections(n *httpstream.Network) {
	l.ConnectionsOpened, l.Packets = n.Opened.Load(), n.Packets.Load()
	l.OutOfOrder, l.SentAgain = n.OutOfOrder.Load(), n.SentAgain.Load()
	if least := n.RoundTrip(); least > 0 {
		l.RoundTripMS = pointer(milliseconds(least))
	}
}

// woken sets the wake-up latency. It sorts its argument.
func (l *Line) woken(late []time.Duration) {
	l.WakeP50MS, l.WakeP99MS, l.WakeMaxMS = quantile(late, 0.5), quantile(late, 0.99), quantile(late, 1)
	l.WakesUS = make([]int64, len(late))
	for i, d := range late {
		l.WakesUS[i] = d.Microseconds()
	}
}

func (l *Line) arrivals(c pacer.Counts) {
	l.Offered, l.Started = Phases(c.Offered), Phases(c.Started)
}

// shortest is the shortest time over which CPU use is meaningful; the last line may come sooner after the previous one.
const shortest = 50 * time.Millisecond

// used sets what the process used between two samples.
func (l *Line) used(before, now usage) {
	l.HeapMB = round(float64(now.heap)/(1<<20), 1)
	l.GCCycles = now.cycles - before.cycles
	l.GCPauseMS = round(milliseconds(now.pause-before.pause), 3)
	l.GCCPUMS = round(milliseconds(now.collector-before.collector), 3)
	if now.rss > 0 {
		l.RSSMB = pointer(round(float64(now.rss)/(1<<20), 1))
	}
	if now.runDelays != nil {
		l.RunDelayMS = pointer(round(milliseconds(delayBetween(before.runDelays, now.runDelays)), 3))
	}
	if now.throttledKnown {
		throttled := now.throttled - before.throttled
		l.Throttled = &throttled
	}
	if wall := now.at.Sub(before.at); now.cpuKnown && wall >= shortest {
		l.CPU = pointer(round(float64(now.cpu-before.cpu)/float64(wall), 2))
	}
}

// quantile is the nearest-rank quantile in milliseconds; nil without values. It sorts its argument.
func quantile(values []time.Duration, q float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	slices.Sort(values)
	rank := int(math.Ceil(q*float64(len(values)))) - 1
	return pointer(round(milliseconds(values[max(rank, 0)]), 3))
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func round(value float64, decimals int) float64 {
	scale := math.Pow10(decimals)
	return math.Round(value*scale) / scale
}

func pointer(value float64) *float64 { return &value }
