// Package journal writes what happens to the video tasks of a run to disk at once, so that all can be cancelled even when
// the process is killed.
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

// entry is one line of tasks.jsonl (formats/tasks.ts).
type entry struct {
	At    string `json:"at"`
	Event string `json:"event"`
	ID    string `json:"id,omitempty"`
	Task  string `json:"task,omitempty"`
	State string `json:"state,omitempty"`
	// Status is that of the response to a submission whose task is unknown; 0 without one.
	Status int `json:"status,omitempty"`
}

// Journal records the history of video tasks. It is safe for concurrent use.
type Journal struct {
	mu       sync.Mutex
	file     io.Writer           // nil: nothing is written
	redact   func(string) string // keeps secrets out of what is written
	accepted map[string]string   // request that created each task of the run
	open     []string            // accepted tasks that have not ended, oldest first
	fail     func(error)
}

// WriteTo makes the journal write to file, one line per event, each in one unbuffered write. The ids of tasks, which the
// target chooses, go through redact. A failed write calls fail.
func (j *Journal) WriteTo(file io.Writer, redact func(string) string, fail func(error)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.file, j.redact, j.fail = file, redact, fail
}

// Submitting records that a request which creates a task is about to be sent.
func (j *Journal) Submitting(id string) { j.note(entry{Event: eventSubmitting, ID: id}) }

// Accepted records that a request created a task. It returns false when the task is that of an earlier request of the run.
func (j *Journal) Accepted(id, task string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	_, known := j.accepted[task]
	if !known {
		if j.accepted == nil {
			j.accepted = map[string]string{}
		}
		j.accepted[task] = id
	}
	j.reopen(id, task)
	return !known
}

// GoesOn records that a task was seen in a state that is not terminal: one whose end was seen is open again.
func (j *Journal) GoesOn(task string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if id, known := j.accepted[task]; known && !slices.Contains(j.open, task) {
		j.reopen(id, task)
	}
}

// reopen writes that a task was accepted, and keeps it as an open one; mu is held.
func (j *Journal) reopen(id, task string) {
	if !slices.Contains(j.open, task) {
		j.open = append(j.open, task)
	}
	j.write(entry{Event: eventAccepted, ID: id, Task: task})
}

// Refused records that a request created no task.
func (j *Journal) Refused(id string) { j.note(entry{Event: eventRefused, ID: id}) }

// Unknown records that a request failed in such a way that a task may exist. The status is that of its response, 0 without
// one.
func (j *Journal) Unknown(id string, status int) {
	j.note(entry{Event: eventUnknown, ID: id, Status: status})
}

// Ended records that a task was seen in a terminal state.
func (j *Journal) Ended(task, state string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	at := slices.Index(j.open, task)
	if at < 0 {
		return // not a task of this run, or its end is known
	}
	j.open = slices.Delete(j.open, at, at+1)
	j.write(entry{Event: eventEnded, Task: task, State: state})
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
	j.write(e)
}

// write appends a line to the file; mu is held.
func (j *Journal) write(e entry) {
	if j.file == nil {
		return
	}
	e.At, e.Task = record.Instant(time.Now()), j.redact(e.Task)
	line, err := json.Marshal(e)
	if err == nil {
		_, err = j.file.Write(append(line, '\n'))
	}
	if err != nil {
		j.fail(fmt.Errorf("cannot write the journal of video tasks: %w; free space on its disk, then run again", err))
	}
}
