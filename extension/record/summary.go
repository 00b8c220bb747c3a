package record

import (
	"slices"
	"strconv"
	"time"

	"assay.dev/k6/httpstream"
)

const (
	// sweepEvery is the number of flushes after which the gaps counted since are written.
	sweepEvery = 4
	// pairsPerLine limits a line of gaps, and so how long the writer is busy without a pause.
	pairsPerLine = 1000
)

// Summary asks for records without their gaps. The gaps of ok requests are counted in histograms instead, and written as
// lines of their own: {"gaps":{"op":…,"phase":…,"workload":…,"error":…,"us":[…],"n":[…]}} adds n gaps of us microseconds each.
type Summary struct {
	// OverUS are bounds in microseconds; every record counts its gaps that are longer than each of them.
	OverUS []int64 `json:"overUs"`
}

// gapCounts are the gaps of ok requests by operation, phase and workload, without those of buffered streams.
type gapCounts struct {
	counts []*gapCount
	pairs  pairs // of the line under way

	flushes  int // since the last sweep began
	sweeping bool
	at       int // the count at which the sweep is
}

type gapCount struct {
	op, phase, workload string
	*histogram
}

func (g *gapCounts) add(r *Record) {
	if r.Outcome == httpstream.OK && len(r.GapsUS) > 0 && !slices.Contains(r.Flags, httpstream.FlagBuffered) {
		g.of(r).add(r.GapsUS)
	}
}

func (g *gapCounts) of(r *Record) *gapCount {
	for _, count := range g.counts {
		if count.op == r.Op && count.phase == r.Phase && count.workload == r.Workload {
			return count
		}
	}
	count := &gapCount{r.Op, r.Phase, r.Workload, newHistogram()}
	g.counts = append(g.counts, count)
	return count
}

// flushed is called at every flush; it appends at most one line. Every sweepEvery flushes a sweep over all counts begins,
// which takes as many flushes as it has lines.
func (g *gapCounts) flushed(buffer []byte) []byte {
	g.flushes++
	if !g.sweeping {
		if g.flushes < sweepEvery {
			return buffer
		}
		g.sweeping, g.flushes, g.at = true, 0, 0
	}
	for before := len(buffer); g.at < len(g.counts) && len(buffer) == before; {
		var ended bool
		if buffer, ended = g.line(buffer, g.counts[g.at]); ended {
			g.at++
		}
	}
	g.sweeping = g.at < len(g.counts)
	return buffer
}

// rest appends all that was not written yet.
func (g *gapCounts) rest(buffer []byte) []byte {
	for _, count := range g.counts {
		count.next = 0
		for ended := false; !ended; {
			buffer, ended = g.line(buffer, count)
		}
	}
	return buffer
}

// line appends the next pairs, if there are any, and reports whether they were the last.
func (g *gapCounts) line(buffer []byte, count *gapCount) ([]byte, bool) {
	g.pairs.clear()
	ended := count.take(&g.pairs, pairsPerLine)
	if len(g.pairs.us) == 0 {
		return buffer, ended
	}
	e := encoder{append(buffer, `{"gaps":{`...)}
	e.text("op", count.op)
	e.text("phase", count.phase)
	e.text("workload", count.workload)
	e.key("error")
	e.out = append(e.out, gapError...)
	e.key("us")
	e.integers(g.pairs.us)
	e.key("n")
	e.integers(g.pairs.n)
	return append(e.out, "}}\n"...), ended
}

// summary appends what a record contains about its gaps without listing them.
func (e *encoder) summary(r *Record, summary *Summary) {
	if r.Chunks > 0 {
		last := r.TTFT.Round(time.Microsecond)
		for _, us := range r.GapsUS {
			last += time.Duration(us) * time.Microsecond
		}
		e.duration("ttlt", last)
	}
	e.key("gaps_over_us")
	e.out = append(e.out, '{')
	for i, bound := range summary.OverUS {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		longer := 0
		for _, us := range r.GapsUS {
			if us > bound {
				longer++
			}
		}
		e.out = append(strconv.AppendInt(append(e.out, '"'), bound, 10), '"', ':')
		e.out = strconv.AppendInt(e.out, int64(longer), 10)
	}
	e.out = append(e.out, '}')
}
