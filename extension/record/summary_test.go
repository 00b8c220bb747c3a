package record

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"assay.dev/k6/httpstream"
)

// okStream is a measured request with so many gaps, each in a bucket of its own.
func okStream(gaps int) *Record {
	r := streamRecord()
	r.Phase, r.Chunks, r.GapsUS = "measure", gaps+1, make([]int64, gaps)
	for i := range r.GapsUS {
		r.GapsUS[i] = int64(i)
	}
	return r
}

type gapsLine struct {
	Gaps *struct {
		Op, Phase string
		Error     float64
		US, N     []int64
	}
}

// gapLines are the lines of gaps in a file, each with the number of gaps that it adds.
func gapLines(t *testing.T, f *file) (lines []gapsLine, sums []int64) {
	t.Helper()
	for _, text := range f.lines() {
		var line gapsLine
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		if line.Gaps == nil {
			continue
		}
		sum := int64(0)
		for _, n := range line.Gaps.N {
			sum += n
		}
		if len(line.Gaps.US) != len(line.Gaps.N) {
			t.Errorf("%d values, %d counts", len(line.Gaps.US), len(line.Gaps.N))
		}
		lines, sums = append(lines, line), append(sums, sum)
	}
	return lines, sums
}

// summarized runs a writer in a bubble of time; what it wrote is whole after the run.
func summarized(t *testing.T, run func(*Writer, *file)) *file {
	f := &file{}
	synctest.Test(t, func(t *testing.T) {
		w := NewWriter(f, func(err error) { t.Error(err) })
		if err := w.Begin(Header{Settings: json.RawMessage("{}")}, &Summary{[]int64{1_000_000}}); err != nil {
			t.Fatal(err)
		}
		run(w, f)
		if _, err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func TestASummaryCountsTheGapsOfOKRequestsByOperationAndPhase(t *testing.T) {
	failed := okStream(5)
	failed.Outcome = httpstream.Reset
	buffered := okStream(6)
	buffered.Flags = []string{httpstream.FlagBuffered}
	warm := okStream(7)
	warm.Phase = "warmup"
	f := summarized(t, func(w *Writer, _ *file) {
		for _, r := range []*Record{okStream(3), failed, buffered, warm, okStream(4), okStream(0), refusedRecord()} {
			w.Add(r)
		}
	})
	lines, sums := gapLines(t, f)
	if len(lines) != 2 || !slices.Equal(sums, []int64{7, 7}) {
		t.Fatalf("%d lines with %v gaps, want 2 with 7 each", len(lines), sums)
	}
	first, second := lines[0].Gaps, lines[1].Gaps
	if first.Op != "chat.stream" || first.Phase != "measure" || second.Phase != "warmup" || first.Error != 0.0005 {
		t.Errorf("got %+v and %+v", first, second)
	}
	if !slices.Equal(first.US, []int64{0, 1, 2, 3}) || !slices.Equal(first.N, []int64{2, 2, 2, 1}) {
		t.Errorf("got %v times %v", first.US, first.N)
	}
	if text := strings.Join(f.lines(), "\n"); strings.Contains(text, "gaps_us") {
		t.Error("the records list their gaps all the same")
	}
}

func TestASummaryIsWrittenEveryFewSecondsInShortLines(t *testing.T) {
	const gaps = 2*pairsPerLine + pairsPerLine/2
	f := summarized(t, func(w *Writer, f *file) {
		w.Add(okStream(gaps))
		time.Sleep((sweepEvery-1)*FlushEvery + time.Millisecond)
		synctest.Wait()
		if lines, _ := gapLines(t, f); len(lines) != 0 {
			t.Errorf("%d lines before the first sweep", len(lines))
		}
		time.Sleep(3 * FlushEvery)
		synctest.Wait()
		if _, sums := gapLines(t, f); !slices.Equal(sums, []int64{pairsPerLine, pairsPerLine, pairsPerLine / 2}) {
			t.Errorf("lines of %v gaps, want %d in threes", sums, gaps)
		}
		w.Add(okStream(9))
		time.Sleep(2 * sweepEvery * FlushEvery)
		synctest.Wait()
		if _, sums := gapLines(t, f); len(sums) != 4 || sums[3] != 9 {
			t.Errorf("lines of %v gaps, want a fourth of 9", sums)
		}
	})
	if _, sums := gapLines(t, f); len(sums) != 4 {
		t.Errorf("%d lines, want no fifth", len(sums))
	}
}

func TestARunThatEndsWithinASweepWritesAllOfIt(t *testing.T) {
	f := summarized(t, func(w *Writer, f *file) {
		w.Add(okStream(pairsPerLine + 10))
		for lines := 0; lines == 0; {
			time.Sleep(FlushEvery)
			synctest.Wait()
			found, _ := gapLines(t, f)
			lines = len(found)
		}
		w.Add(okStream(5)) // into buckets that the sweep has passed
	})
	if _, sums := gapLines(t, f); len(sums) != 2 || sums[1] != 15 {
		t.Errorf("lines of %v gaps, want the second to hold 15", sums)
	}
}
