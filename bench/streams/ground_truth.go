package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"
)

// row is the ground truth about one request.
type row struct {
	id      string
	arrived time.Time
	plan    plan
	actual  []time.Duration
	failure failure
}

// ledger keeps the rows in memory until the end, so that writing them to the file delays no stream.
type ledger struct {
	mu   sync.Mutex
	rows []row
}

func (l *ledger) add(r row) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rows = append(l.rows, r)
}

// write writes one line per request, in the format of the bundled mock (formats/ground-truth.ts).
func (l *ledger) write(path string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("cannot write the ground truth: %w", err)
	}
	out := bufio.NewWriter(file)
	encoder := json.NewEncoder(out)
	for _, r := range l.rows {
		line := struct {
			ID        string    `json:"id"`
			StartedAt string    `json:"startedAt"`
			Planned   []float64 `json:"planned_ms"`
			Actual    []float64 `json:"actual_ms"`
			Fault     failure   `json:"fault,omitempty"`
		}{r.id, r.arrived.UTC().Format("2006-01-02T15:04:05.000000Z"), []float64{}, []float64{}, r.failure}
		for chunk, at := range r.actual {
			line.Planned = append(line.Planned, millis(r.plan.due(chunk)))
			line.Actual = append(line.Actual, millis(at))
		}
		if err := encoder.Encode(line); err != nil {
			return fmt.Errorf("cannot write the ground truth: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("cannot write the ground truth: %w", err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("cannot write the ground truth: %w", err)
	}
	return nil
}

// millis is a duration in milliseconds, to the microsecond.
func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
