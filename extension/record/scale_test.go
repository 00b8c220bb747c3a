//go:build unix

package record

import (
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"assay.dev/k6/httpstream"
)

// BenchmarkAMillionRecords writes a million streams of 100 chunks each. One round says it all:
//
//	go test -run '^$' -bench AMillionRecords -benchtime 1x ./record
//
// With SCALE_DIR=DIR the files are kept as DIR/full/records.jsonl and DIR/summary/records.jsonl, for reading them back.
func BenchmarkAMillionRecords(b *testing.B) {
	for _, mode := range []struct {
		name    string
		summary *Summary
	}{{"full", nil}, {"summary", &Summary{[]int64{1_000_000}}}} {
		b.Run(mode.name, func(b *testing.B) {
			for b.Loop() {
				writeMillion(b, mode.name, mode.summary)
			}
		})
	}
}

const million, chunksEach = 1_000_000, 100

func writeMillion(b *testing.B, name string, summary *Summary) {
	dir := os.Getenv("SCALE_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	dir = filepath.Join(dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(dir, "records.jsonl")
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	made := processTime()
	random := rand.New(rand.NewPCG(1, 1))
	for i := range million {
		sink = realistic(random, i)
	}
	making := processTime() - made

	w := NewWriter(file, func(err error) { b.Fatal(err) })
	settings := json.RawMessage(`{"scenario":"chat-stream","target":"http://127.0.0.1:1","rate":1000,"duration":1000000,"warmup":0}`)
	if err := w.Begin(Header{Settings: settings, Seed: 1, K6: "v2.2.0", StartedAt: Instant(sent)}, summary); err != nil {
		b.Fatal(err)
	}
	random = rand.New(rand.NewPCG(1, 1))
	start := processTime()
	var collecting time.Duration
	for i := range million {
		w.Add(realistic(random, i))
		if i%100 == 99 { // a service brings no more at once
			w.drained()
		}
		switch done := i + 1; done {
		case million / 10, million / 2, million:
			before := processTime()
			b.ReportMetric(liveHeap(), "MB@"+strconv.Itoa(done*100/million)+"%")
			collecting += processTime() - before
		}
	}
	if count, err := w.Close(); count != million || err != nil {
		b.Fatalf("%d records, %v", count, err)
	}
	used := processTime() - start - collecting - making
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/1e6, "MB-on-disk")
	b.ReportMetric(float64(used)/float64(time.Microsecond)/million, "µs-CPU/record")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkRecord turns the record of a stream of 100 chunks into its line, and writes it; it allocates nothing.
func BenchmarkRecord(b *testing.B) {
	r := realistic(rand.New(rand.NewPCG(1, 1)), 1)
	out := lines{file: io.Discard, failed: func(err error) { b.Error(err) }, buffer: make([]byte, 0, 2*flushAt)}
	b.ReportAllocs()
	for b.Loop() {
		out.add(r)
	}
}

var sink *Record

// realistic is a stream that went well: tokens about 20 ms apart, some of which one read brought together.
func realistic(random *rand.Rand, i int) *Record {
	gaps := make([]int64, chunksEach-1)
	ttft := time.Duration(math.Exp(random.NormFloat64()*0.4)*200_000) * time.Microsecond
	last, coalesced := ttft, 0
	for k := range gaps {
		if random.IntN(50) == 0 {
			coalesced++
			continue
		}
		gaps[k] = int64(math.Exp(random.NormFloat64()*0.3) * 20_000)
		last += time.Duration(gaps[k]) * time.Microsecond
	}
	at := sent.Add(time.Duration(i) * time.Millisecond)
	lag := time.Duration(random.IntN(400)) * time.Microsecond
	return &Record{
		ID: "e3312a40-" + strconv.Itoa(i+1), Op: "chat.stream", Phase: "measure", Model: "assay-chat", Scheduled: at, Lag: lag,
		Items: httpstream.Unknown, MaxTokens: httpstream.Unknown,
		Result: &httpstream.Result{
			Sent: at.Add(lag), Outcome: httpstream.OK, Status: 200, Proto: "HTTP/1.1", RetryAfter: httpstream.Unknown, Bytes: 22_000,
			Connected: true, Reused: i > 200, TTFB: ttft / 9, TTFT: ttft, TTFTAny: httpstream.NotMeasured, TTLTAny: httpstream.NotMeasured,
			Done: last + 40*time.Microsecond, E2E: last + 90*time.Microsecond,
			Chunks: chunksEach, Coalesced: coalesced, GapsUS: gaps, DoneSeen: true, FinishReason: "stop",
			InputTokens: 60, OutputTokens: chunksEach, ReasoningTokens: httpstream.Unknown, CachedTokens: httpstream.Unknown, TokenSource: "usage", Progress: math.NaN(), Cost: math.NaN(),
		},
	}
}

// drained waits until the writer has taken all that was added.
func (w *Writer) drained() {
	for {
		w.mu.Lock()
		left := len(w.pending)
		w.mu.Unlock()
		if left == 0 {
			return
		}
		runtime.Gosched()
	}
}

// liveHeap is what is reachable, in megabytes.
func liveHeap() float64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc) / 1e6
}

// processTime is the CPU time that this process has used.
func processTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
