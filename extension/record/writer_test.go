package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// file is a file in memory that can break.
type file struct {
	mu     sync.Mutex
	data   bytes.Buffer
	broken bool
	closed bool
}

var errDisk = errors.New("disk full")

func (f *file) Write(data []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken {
		return 0, errDisk
	}
	return f.data.Write(data)
}

func (f *file) Close() error { f.closed = true; return nil }

func (f *file) lines() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Split(strings.TrimSpace(f.data.String()), "\n")
}

func TestWriterWritesTheHeaderFirstAndLosesNothing(t *testing.T) {
	f := &file{}
	w := NewWriter(f, func(err error) { t.Error(err) })
	header := Header{Settings: json.RawMessage(`{"a":1}`), Seed: 7, K6: "v2", StartedAt: "now"}
	if err := w.Begin(header, nil); err != nil {
		t.Fatal(err)
	}
	var adders sync.WaitGroup
	for range 4 {
		adders.Go(func() {
			for range 500 {
				w.Add(streamRecord())
			}
		})
	}
	adders.Wait()
	if count, err := w.Close(); count != 2000 || err != nil || !f.closed {
		t.Errorf("closed with %d records, %v", count, err)
	}
	lines := f.lines()
	if want := `{"schema":"assay.records/1","settings":{"a":1},"seed":7,"k6":"v2","startedAt":"now"}`; lines[0] != want {
		t.Errorf("first line %s, want %s", lines[0], want)
	}
	if len(lines) != 2001 {
		t.Errorf("%d lines, want 2001", len(lines))
	}
	for _, line := range lines {
		if !json.Valid([]byte(line)) {
			t.Fatalf("no JSON: %s", line)
		}
	}
}

func TestWriterFlushesWithinItsInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &file{}
		w := NewWriter(f, func(err error) { t.Error(err) })
		if err := w.Begin(Header{Settings: json.RawMessage("{}")}, nil); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		w.Add(refusedRecord())
		time.Sleep(FlushEvery)
		synctest.Wait()
		if n := len(f.lines()); n != 2 {
			t.Errorf("%d lines after %v, want 2", n, FlushEvery)
		}
		_, _ = w.Close()
	})
}

func TestWriterReportsABrokenDiskOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, reports := &file{broken: true}, 0
		w := NewWriter(f, func(err error) {
			reports++
			if !errors.Is(err, errDisk) {
				t.Errorf("reported %v", err)
			}
		})
		for range 3 {
			w.Add(refusedRecord())
			time.Sleep(FlushEvery)
		}
		if _, err := w.Close(); !errors.Is(err, errDisk) {
			t.Errorf("closed with %v, want %v", err, errDisk)
		}
		if reports != 1 {
			t.Errorf("%d reports, want 1", reports)
		}
	})
}
