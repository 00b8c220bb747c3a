package system

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// Available is the memory that the process may still use, in bytes; 0 when it is not known.
func Available() int64 { return available(os.DirFS("/")) }

// Exhausted returns an error when a heap of so many bytes leaves too little of what was available at the start of a run: the
// system would soon end the process, and what it has not written would be lost.
func Exhausted(heap, available int64) error {
	if available <= 0 || heap < available/10*9 {
		return nil
	}
	return fmt.Errorf("the load generator uses %d of the %d MiB of memory that were available, and ends before the system ends it; "+
		"lower --max-in-flight, or split the load over more machines", heap>>20, available>>20)
}

// available is the memory that the process may still use, in bytes; 0 when the system does not report it. A control group may
// allow less than the machine has.
func available(root fs.FS) int64 {
	file, err := root.Open("proc/meminfo")
	if err != nil {
		return 0
	}
	defer func() { _ = file.Close() }()
	free := fields(file)["MemAvailable"] << 10
	for _, group := range groupsOf(root, "memory") {
		if left, limited := group.memoryLeft(); limited {
			free = min(free, left)
		}
	}
	return max(free, 0)
}

// memoryLeft is what a group's limit leaves; limited is false when it has none. File pages that were not used lately
// count as used by the group, but are given up first.
func (g group) memoryLeft() (left int64, limited bool) {
	limitFile, usedFile, idlePages := "memory.max", "memory.current", "inactive_file"
	if g.first {
		limitFile, usedFile, idlePages = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
	}
	limit, ok := g.number(limitFile)
	if !ok || limit <= 0 {
		return 0, false
	}
	used, _ := g.number(usedFile)
	return limit - max(used-g.statistics("memory.stat")[idlePages], 0), true
}

// fields reads the first number of the lines of a file by their names, such as MemAvailable.
func fields(file io.Reader) map[string]int64 {
	values := map[string]int64{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) < 2 {
			continue
		}
		if n, err := strconv.ParseInt(words[1], 10, 64); err == nil {
			values[strings.TrimSuffix(words[0], ":")] = n
		}
	}
	return values
}
