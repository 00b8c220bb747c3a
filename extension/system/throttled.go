package system

import (
	"io/fs"
	"os"
)

// Throttled is how often the CPU limit of a control group has paused the process so far; known is false where the system
// does not report it.
func Throttled() (times int64, known bool) { return throttled(os.DirFS("/")) }

func throttled(root fs.FS) (times int64, known bool) {
	for _, group := range groupsOf(root, "cpu") {
		n, found := group.statistics("cpu.stat")["nr_throttled"]
		times, known = max(times, n), known || found
	}
	return times, known
}
