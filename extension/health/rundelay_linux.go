package health

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

const tasks = "/proc/self/task"

// runDelays is how long each thread of the process has waited for a CPU so far, by its id; nil when the system does not
// report it. It is the second field of schedstat, in nanoseconds.
func runDelays() map[string]time.Duration {
	threads, err := os.ReadDir(tasks)
	if err != nil {
		return nil
	}
	delays := make(map[string]time.Duration, len(threads))
	for _, thread := range threads {
		data, err := os.ReadFile(filepath.Join(tasks, thread.Name(), "schedstat"))
		fields := bytes.Fields(data)
		if err != nil || len(fields) < 2 {
			continue // A thread that has just ended, or a kernel without the statistics.
		}
		if delay, err := strconv.ParseInt(string(fields[1]), 10, 64); err == nil {
			delays[thread.Name()] = time.Duration(delay)
		}
	}
	if len(delays) == 0 {
		return nil
	}
	return delays
}
