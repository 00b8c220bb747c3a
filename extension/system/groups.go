package system

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// group is a control group of the process: its folder, and which version's file names it has.
type group struct {
	root   fs.FS
	folder string
	first  bool // of version 1
}

// groupsOf are the groups that a controller has the process in, innermost first. In a container the process's own folder
// is often mounted as the root, so that some of them do not exist.
func groupsOf(root fs.FS, controller string) []group {
	table, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	var groups []group
	for line := range strings.Lines(string(table)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		base, first := "sys/fs/cgroup", false
		if hasWord(parts[1], controller) {
			base, first = path.Join(base, controller), true
		} else if parts[1] != "" {
			continue
		}
		for folder := path.Join(base, parts[2]); len(folder) >= len(base); folder = path.Dir(folder) {
			groups = append(groups, group{root, folder, first})
		}
	}
	return groups
}

func hasWord(list, word string) bool {
	for part := range strings.SplitSeq(list, ",") {
		if part == word {
			return true
		}
	}
	return false
}

// number reads a file with one number; ok is false for any other, such as "max".
func (g group) number(name string) (value int64, ok bool) {
	data, err := fs.ReadFile(g.root, path.Join(g.folder, name))
	if err != nil {
		return 0, false
	}
	value, err = strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	return value, err == nil
}

// statistics reads a file with a name and a number per line; nil when there is none.
func (g group) statistics(name string) map[string]int64 {
	file, err := g.root.Open(path.Join(g.folder, name))
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	return fields(file)
}
