package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
)

// FlushEvery is the longest time that a record waits in memory.
const FlushEvery = 500 * time.Millisecond

// flushAt is how many bytes are written at once: writing more would take so long that chunks of other streams, which wait
// for the same CPU, would be stamped late.
const flushAt = 64 << 10

// Writer writes records from one goroutine, so that no request waits for the disk. Each is turned into its line at once:
// the lines of half a second together would take milliseconds, in which no chunk is read.
type Writer struct {
	file   io.WriteCloser
	failed func(error)

	mu       sync.Mutex
	header   []byte
	summary  *Summary
	pending  []*Record
	arrivals []Arrival
	closing  bool

	count int64 // records added

	wake chan struct{}
	done chan error
}

// NewWriter returns a writer that closes file in [Writer.Close]. It calls failed once, from its goroutine, when a write
// fails; later records are dropped.
func NewWriter(file io.WriteCloser, failed func(error)) *Writer {
	w := &Writer{file: file, failed: failed, wake: make(chan struct{}, 1), done: make(chan error, 1)}
	go w.run()
	return w
}

// Begin writes the first line; call it once, before the first Add. Without a summary, records list their gaps.
func (w *Writer) Begin(header Header, summary *Summary) error {
	header.Schema = Schema
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(header); err != nil {
		return fmt.Errorf("cannot write the first line of the records: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.header, w.summary = line.Bytes(), summary
	w.signal()
	return nil
}

// Add queues a record; it never blocks on the disk.
func (w *Writer) Add(r *Record) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending = append(w.pending, r)
	w.count++
	w.signal()
}

// AddArrival queues the line of an arrival; it does not count as a record.
func (w *Writer) AddArrival(a Arrival) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.arrivals = append(w.arrivals, a)
	w.signal()
}

// Close writes what is left, closes the file, and returns the number of records and the first error.
func (w *Writer) Close() (int64, error) {
	w.mu.Lock()
	w.closing = true
	w.signal()
	w.mu.Unlock()
	err := <-w.done
	return w.count, err
}

func (w *Writer) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// batch is what was added since the previous one.
type batch struct {
	header   []byte
	summary  *Summary
	records  []*Record
	arrivals []Arrival
	last     bool
}

// take returns what was added, and reuses the slice of the previous batch for what comes next.
func (w *Writer) take(before []*Record) batch {
	clear(before)
	w.mu.Lock()
	defer w.mu.Unlock()
	b := batch{w.header, w.summary, w.pending, w.arrivals, w.closing}
	w.header, w.pending, w.arrivals = nil, before[:0], nil
	return b
}

func (w *Writer) run() {
	ticker := time.NewTicker(FlushEvery)
	defer ticker.Stop()
	out := lines{file: w.file, failed: w.failed}
	for b := (batch{}); !b.last; {
		select {
		case <-ticker.C:
			out.buffer = out.gaps.flushed(out.buffer)
			out.flush()
		case <-w.wake:
		}
		b = w.take(b.records)
		out.buffer, out.summary = append(out.buffer, b.header...), b.summary
		for _, r := range b.records {
			out.add(r)
		}
		for _, a := range b.arrivals {
			out.addArrival(a)
		}
	}
	out.buffer = out.gaps.rest(out.buffer)
	out.flush()
	if err := w.file.Close(); err != nil && out.broken == nil {
		out.broken = fmt.Errorf("cannot close the records: %w", err)
	}
	w.done <- out.broken
}

// lines collects lines and writes them to a file, until that fails.
type lines struct {
	file   io.Writer
	failed func(error)
	buffer []byte
	broken error

	summary *Summary
	gaps    gapCounts // with a summary
}

func (l *lines) add(r *Record) {
	l.buffer = r.Append(l.buffer, l.summary)
	if l.summary != nil {
		l.gaps.add(r)
	}
	l.flushFull()
}

func (l *lines) addArrival(a Arrival) {
	l.buffer = a.Append(l.buffer)
	l.flushFull()
}

func (l *lines) flushFull() {
	if len(l.buffer) >= flushAt {
		l.flush()
	}
}

func (l *lines) flush() {
	if l.broken == nil && len(l.buffer) > 0 {
		if _, err := l.file.Write(l.buffer); err != nil {
			l.broken = fmt.Errorf("cannot write records: %w; free space on their disk, then run again", err)
			l.failed(l.broken)
		}
	}
	l.buffer = l.buffer[:0]
}
