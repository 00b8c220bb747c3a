// Package journal keeps track of the video tasks that a run created, on disk as it happens, so that none is left open
// even when the process dies.
package journal

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"assay.dev/k6/record"
)

// What happens to a task.
const (
	eventSubmitting = "submitting"
	eventAccepted   = "accepted"
	eventRefused    = "refused"
	eventUnknown    = "unknown"
	eventEnded      = "ended"
)

// entry is one line.
type entry struct {
	At    string `json:"at"`
	Event string `json:"event"`
	ID    string `json:"id,omitempty"`
	Task  string `json:"task,omitempty"`
	State string `json:"state,omitempty"`
}

// Journal records the life of video tasks. It is safe for concurrent use.
type Journal struct {
	mu   sync.Mutex
	file io.Writer // nil: nothing is written
	open []string  // accepted tasks that have not ended, oldest first
	fail func(error)
}

// WriteTo makes the journal write to file, a line an event, each in one unbuffered write. A failed write calls fail.
func (j *Journal) WriteTo(file io.Writer, fail func(error)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.file, j.fail = file, fail
}

// Submitting notes that a request which creates a task is about to be sent.
func (j *Journal) Submitting(id string) { j.note(entry{Event: eventSubmitting, ID: id}) }

// Accepted notes that a request created a task.
func (j *Journal) Accepted(id, task string) { j.note(entry{Event: eventAccepted, ID: id, Task: task}) }

// Refused notes that a request created no task.
func (j *Journal) Refused(id string) { j.note(entry{Event: eventRefused, ID: id}) }

// Unknown notes that a request failed in such a way that a task may exist.
func (j *Journal) Unknown(id string) { j.note(entry{Event: eventUnknown, ID: id}) }

// Ended notes that a task was seen in a state that it never leaves.
func (j *Journal) Ended(task, state string) {
	j.note(entry{Event: eventEnded, Task: task, State: state})
}

// Open returns the accepted tasks that have not ended, oldest first.
func (j *Journal) Open() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.open)
}

func (j *Journal) note(e entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch e.Event {
	case eventAccepted:
		j.open = append(j.open, e.Task)
	case eventEnded:
		at := slices.Index(j.open, e.Task)
		if at < 0 {
			return // not this run's task, or its end is known
		}
		j.open = slices.Delete(j.open, at, at+1)
	}
	if j.file == nil {
		return
	}
	e.At = record.Instant(time.Now())
	line, err := json.Marshal(e)
	if err == nil {
		_, err = j.file.Write(append(line, '\n'))
	}
	if err != nil {
		j.fail(fmt.Errorf("cannot write the journal of video tasks: %w; free space on the disk that holds it, then run again", err))
	}
}
