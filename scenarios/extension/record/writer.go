package record

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
)

// FlushEvery is the longest time that a record waits in memory.
const FlushEvery = 500 * time.Millisecond

// Writer writes records from one goroutine, so that no request waits for the disk.
type Writer struct {
	file   io.WriteCloser
	failed func(error)

	mu      sync.Mutex
	header  []byte
	pending []*Record
	closing bool

	count int64 // records added

	wake chan struct{}
	done chan error
}

// NewWriter returns a writer that closes file in [Writer.Close]. It calls failed once, from its goroutine, when a write
// fails; what comes after that is dropped.
func NewWriter(file io.WriteCloser, failed func(error)) *Writer {
	w := &Writer{file: file, failed: failed, wake: make(chan struct{}, 1), done: make(chan error, 1)}
	go w.run()
	return w
}

// Begin writes the first line; call it once, before the first Add.
func (w *Writer) Begin(header Header) error {
	header.Schema = Schema
	line, err := json.Marshal(header)
	if err != nil {
		return fmt.Errorf("cannot write the first line of the records: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.header = append(line, '\n')
	w.signal()
	return nil
}

// Add queues a record; it never blocks on the disk.
func (w *Writer) Add(r *Record) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending = append(w.pending, r)
	w.count++
}

// Close writes what is left, closes the file, and returns the number of records and the first error there was.
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

func (w *Writer) run() {
	ticker := time.NewTicker(FlushEvery)
	defer ticker.Stop()
	var (
		buffer []byte
		broken error
	)
	for closing := false; !closing; {
		select {
		case <-ticker.C:
		case <-w.wake:
		}
		var records []*Record
		w.mu.Lock()
		records, w.pending = w.pending, nil
		buffer, w.header = append(buffer[:0], w.header...), nil
		closing = w.closing
		w.mu.Unlock()
		if err := w.write(buffer, records, broken); err != nil && broken == nil {
			broken = err
			w.failed(err)
		}
	}
	if err := w.file.Close(); err != nil && broken == nil {
		broken = fmt.Errorf("cannot close the records: %w", err)
	}
	w.done <- broken
}

func (w *Writer) write(buffer []byte, records []*Record, broken error) error {
	const most = 1 << 20
	for _, r := range records {
		buffer = r.Append(buffer)
		if len(buffer) < most {
			continue
		}
		if err := w.flush(buffer, broken); err != nil {
			return err
		}
		buffer = buffer[:0]
	}
	return w.flush(buffer, broken)
}

func (w *Writer) flush(buffer []byte, broken error) error {
	if broken != nil || len(buffer) == 0 {
		return broken
	}
	if _, err := w.file.Write(buffer); err != nil {
		return fmt.Errorf("cannot write records: %w; free space on the disk that holds them, then run again", err)
	}
	return nil
}
