package machine

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// available is the memory that the process may still use, in bytes; 0 when the system does not say. A control group may
// allow less than the machine has.
func available(root fs.FS) int64 {
	file, err := root.Open("proc/meminfo")
	if err != nil {
		return 0
	}
	defer func() { _ = file.Close() }()
	free := fields(file)["MemAvailable"] << 10
	if limit := groupLimit(root); limit > 0 && limit < free {
		return limit
	}
	return free
}

// groupLimit is the smallest limit of the process's control groups, of either version; 0 for none.
func groupLimit(root fs.FS) int64 {
	smallest := int64(0)
	consider := func(name string) {
		data, err := fs.ReadFile(root, name)
		if err != nil {
			return
		}
		limit, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
		if err == nil && limit > 0 && (smallest == 0 || limit < smallest) {
			smallest = limit
		}
	}
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		base, name := "sys/fs/cgroup", "memory.max"
		if parts[1] == "memory" {
			base, name = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		} else if parts[1] != "" {
			continue
		}
		// In a container the group's own folder is often mounted as the root.
		for folder := path.Join(base, parts[2]); len(folder) >= len(base); folder = path.Dir(folder) {
			consider(path.Join(folder, name))
		}
	}
	return smallest
}
