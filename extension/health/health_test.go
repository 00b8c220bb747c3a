package health

import (
	"bytes"
	"encoding/json"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"assay.dev/k6/httpstream"
	"assay.dev/k6/pacer"
)

type file struct {
	mu   sync.Mutex
	data bytes.Buffer
}

func (f *file) Write(data []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.data.Write(data)
}

func (f *file) Close() error { return nil }

func noPacer() *pacer.Group { return nil }

func TestSamplerWritesALineASecondAndAFinalOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, counters := &file{}, &Counters{}
		s := StartSampler(f, Sources{Counters: counters, Pacers: noPacer, MemoryLimit: func() int64 { return 3 << 20 }, Ended: func() []int64 { return []int64{4, 2} }, InFlightLimit: 9}, time.Now(), func(err error) { t.Error(err) })
		for range 4 {
			counters.Started()
		}
		counters.Lagged(2 * time.Millisecond)
		counters.Ended(&httpstream.Result{Outcome: httpstream.OK, E2E: 30 * time.Millisecond, TTFT: 10 * time.Millisecond})
		counters.Ended(&httpstream.Result{Outcome: httpstream.OK, E2E: 20 * time.Millisecond, TTFT: httpstream.NotMeasured})
		counters.Ended(&httpstream.Result{Outcome: httpstream.Reset, E2E: time.Hour, TTFT: time.Hour})
		time.Sleep(2500 * time.Millisecond)
		if err := s.Close(End{Records: 3, Broken: errors.New("disk full"), Stopped: errors.New("interrupted")}); err != nil {
			t.Fatal(err)
		}
		var lines []Line
		for text := range strings.Lines(f.data.String()) {
			var line Line
			if err := json.Unmarshal([]byte(text), &line); err != nil {
				t.Fatal(err)
			}
			lines = append(lines, line)
		}
		if len(lines) != 3 || lines[0].T != 1 || lines[1].T != 2 || lines[2].T != 2.5 {
			t.Fatalf("lines %+v", lines)
		}
		first, last := lines[0], lines[2]
		if !slices.Equal(first.Ended, []int64{4, 2}) || first.Open != 1 || first.Completed != 3 || first.OK != 2 || first.Outcomes[httpstream.Reset] != 1 || first.InFlightLimit != 9 || *first.MemoryLimitMB != 3 {
			t.Errorf("first line %+v", first)
		}
		if *first.LagP99MS != 2 || *first.TTFTP50MS != 10 || *first.E2EP50MS != 20 {
			t.Errorf("first line: lag %v, ttft %v, e2e %v", *first.LagP99MS, *first.TTFTP50MS, *first.E2EP50MS)
		}
		if lines[1].LagP99MS != nil || lines[1].E2EP50MS != nil || lines[1].Completed != 3 || lines[1].Final {
			t.Errorf("second line %+v", lines[1])
		}
		if !last.Final || *last.Records != 3 || last.Error != "disk full" || last.Stopped != "interrupted" {
			t.Errorf("last line %+v", last)
		}
	})
}

func TestSamplerCountsArrivals(t *testing.T) {
	p, err := pacer.NewGroup([]pacer.Spec{{Process: pacer.Closed, Duration: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := p.Stream(0).Slot().Next(t.Context()); !ok {
		t.Fatal("no arrival")
	}
	f := &file{}
	s := StartSampler(f, Sources{Counters: &Counters{}, Pacers: func() *pacer.Group { return p }, MemoryLimit: func() int64 { return 0 }}, time.Now(), func(err error) { t.Error(err) })
	if err := s.Close(End{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"offered":{"warmup":0,"measure":1},"started":{"warmup":0,"measure":1}`, `"schedule_started_at":"2`, `"final":true,"records":0}`,
	} {
		if !strings.Contains(f.data.String(), want) {
			t.Errorf("%s lacks %s", f.data.String(), want)
		}
	}
}

func TestQuantileIsTheNearestRank(t *testing.T) {
	var values []time.Duration
	for n := 100; n > 0; n-- {
		values = append(values, time.Duration(n)*time.Millisecond)
	}
	for q, want := range map[float64]float64{0.5: 50, 0.99: 99, 1: 100} {
		if got := quantile(values, q); *got != want {
			t.Errorf("quantile %v is %v, want %v", q, *got, want)
		}
	}
	if quantile(nil, 0.5) != nil {
		t.Error("nothing has a quantile")
	}
}

func TestWakesAreSummedUp(t *testing.T) {
	var line Line
	line.woken([]time.Duration{3 * time.Millisecond, 1500 * time.Nanosecond, 20 * time.Microsecond})
	if *line.WakeP50MS != 0.02 || *line.WakeP99MS != 3 || *line.WakeMaxMS != 3 || !slices.Equal(line.WakesUS, []int64{1, 20, 3000}) {
		t.Errorf("%v, %v, %v of %v", *line.WakeP50MS, *line.WakeP99MS, *line.WakeMaxMS, line.WakesUS)
	}
	if line.woken(nil); line.WakeP99MS != nil {
		t.Error("no wake-up was late")
	}
}

func TestRunDelayIsThatOfTheThreadsThatAreThere(t *testing.T) {
	before := map[string]time.Duration{"1": 5, "2": 100}
	if got := delayBetween(before, map[string]time.Duration{"1": 7, "3": 4}); got != 6 {
		t.Errorf("got %d", got)
	}
}

func TestUsageSeesWorkDone(t *testing.T) {
	before, held := sampleUsage(), make([]byte, 8<<20)
	defer runtime.KeepAlive(held)
	now := sampleUsage()
	for now.cpuKnown && now.cpu == before.cpu { // any work uses CPU time
		now = sampleUsage()
	}
	if !now.cpuKnown && runtime.GOOS != "windows" {
		t.Error("the CPU time is not known")
	}
	runtime.GC()
	var line Line
	line.used(before, sampleUsage())
	if line.GCCycles < 1 || line.GCCPUMS <= 0 {
		t.Errorf("%d collections in %v ms", line.GCCycles, line.GCCPUMS)
	}
	if line.HeapMB < 8 || line.RSSMB != nil && *line.RSSMB <= 0 {
		t.Errorf("memory %v, %v", line.HeapMB, line.RSSMB)
	}
}

func TestUsageIsThatOfTheTimeBetweenTwoSamples(t *testing.T) {
	start := time.Now()
	before := usage{at: start, cpu: 3 * time.Second, cpuKnown: true, cycles: 5, collector: 100 * time.Millisecond}
	now := usage{at: start.Add(2 * time.Second), cpu: 6 * time.Second, cpuKnown: true, cycles: 7, collector: 130 * time.Millisecond}
	var line Line
	line.used(before, now)
	if line.CPU == nil || *line.CPU != 1.5 || line.GCCycles != 2 || line.GCCPUMS != 30 {
		t.Errorf("%v cores, and %d collections in %v ms; want 1.5, and 2 in 30 ms", line.CPU, line.GCCycles, line.GCCPUMS)
	}
	now.cpuKnown, line = false, Line{}
	if line.used(before, now); line.CPU != nil {
		t.Errorf("%v cores, although they are not known", *line.CPU)
	}
}
