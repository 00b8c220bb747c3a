package system

import (
	"io/fs"
	"os"
)

// Throttled is how often the CPU limit of a control group has kept the process off the CPUs so far; known is false where
// the system does not say.
func Throttled() (times int64, known bool) { return throttled(os.DirFS("/")) }

func throttled(root fs.FS) (times int64, known bool) {
	for _, group := range groupsOf(root, "cpu") {
		n, found := group.statistics("cpu.stat")["nr_throttled"]
		times, known = max(times, n), known || found
	}
	return times, known
}
