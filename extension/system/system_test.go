package system

import (
	"math"
	"runtime/debug"
	"strings"
	"testing"
	"testing/fstest"
)

func TestAvailableIsTheSmallerOfMachineAndGroup(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	meminfo := file("MemTotal: 16000000 kB\nMemAvailable:    8000000 kB\n")
	for _, tt := range []struct {
		name string
		root fstest.MapFS
		want int64
	}{
		{"no groups", fstest.MapFS{"proc/meminfo": meminfo}, 8000000 << 10},
		{"version 2", fstest.MapFS{"proc/meminfo": meminfo, "proc/self/cgroup": file("0::/a/b\n"), "sys/fs/cgroup/a/memory.max": file("1073741824\n"),
			"sys/fs/cgroup/a/b/memory.max": file("max\n")}, 1 << 30},
		{"version 1", fstest.MapFS{"proc/meminfo": meminfo, "proc/self/cgroup": file("5:cpu:/x\n4:memory:/x\n"),
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": file("2147483648\n")}, 2 << 30},
		{"container root", fstest.MapFS{"proc/meminfo": meminfo, "proc/self/cgroup": file("0::/docker/1\n"), "sys/fs/cgroup/memory.max": file("536870912\n")}, 1 << 29},
		{"group above the machine", fstest.MapFS{"proc/meminfo": meminfo, "proc/self/cgroup": file("0::/\n"), "sys/fs/cgroup/memory.max": file("99999999999999\n")}, 8000000 << 10},
		{"version 2, in use", fstest.MapFS{"proc/meminfo": meminfo, "proc/self/cgroup": file("0::/a\n"), "sys/fs/cgroup/a/memory.max": file("1073741824\n"),
			"sys/fs/cgroup/a/memory.current": file("805306368\n"), "sys/fs/cgroup/a/memory.stat": file("anon 1\ninactive_file 268435456\n")}, 1 << 29},
		{"version 1, in use", fstest.MapFS{"proc/meminfo": meminfo, "proc/self/cgroup": file("4:memory:/x\n"),
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": file("2147483648\n"), "sys/fs/cgroup/memory/x/memory.usage_in_bytes": file("1610612736\n"),
			"sys/fs/cgroup/memory/x/memory.stat": file("inactive_file 1\ntotal_inactive_file 536870912\n")}, 1 << 30},
		{"used up", fstest.MapFS{"proc/meminfo": meminfo, "proc/self/cgroup": file("0::/\n"), "sys/fs/cgroup/memory.max": file("1048576\n"),
			"sys/fs/cgroup/memory.current": file("2097152\n")}, 0},
		{"another system", fstest.MapFS{}, 0},
	} {
		if got := available(tt.root); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestARunEndsBeforeTheSystemEndsIt(t *testing.T) {
	if err := Exhausted(899<<20, 1000<<20); err != nil {
		t.Errorf("a tenth is left: %v", err)
	}
	if err := Exhausted(1<<40, 0); err != nil {
		t.Errorf("what is available is not known: %v", err)
	}
	if err := Exhausted(900<<20, 1000<<20); err == nil || !strings.Contains(err.Error(), "uses 900 of the 1000 MiB") {
		t.Errorf("got %v", err)
	}
}

func TestThrottledIsThatOfTheGroupThatWasKeptOffMost(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	for _, tt := range []struct {
		name  string
		root  fstest.MapFS
		want  int64
		known bool
	}{
		{"version 2", fstest.MapFS{"proc/self/cgroup": file("0::/a/b\n"), "sys/fs/cgroup/a/cpu.stat": file("usage_usec 7\nnr_throttled 9\n"),
			"sys/fs/cgroup/a/b/cpu.stat": file("nr_throttled 4\n")}, 9, true},
		{"version 1", fstest.MapFS{"proc/self/cgroup": file("4:cpu,cpuacct:/x\n"), "sys/fs/cgroup/cpu/x/cpu.stat": file("nr_throttled 3\n")}, 3, true},
		{"no limits", fstest.MapFS{"proc/self/cgroup": file("0::/\n"), "sys/fs/cgroup/cpu.stat": file("usage_usec 7\n")}, 0, false},
		{"another system", fstest.MapFS{}, 0, false},
	} {
		if got, known := throttled(tt.root); got != tt.want || known != tt.known {
			t.Errorf("%s: got %d, %v, want %d, %v", tt.name, got, known, tt.want, tt.known)
		}
	}
}

// settings reads the collector's settings; that needs them to be set.
func settings() (percent int, limit int64) {
	percent = debug.SetGCPercent(100)
	debug.SetGCPercent(percent)
	return percent, debug.SetMemoryLimit(-1)
}

func TestCollectorIsDisabledAndRestored(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	percentBefore, limitBefore := settings()
	c := DisableCollector(1<<40, never)
	t.Cleanup(c.Restore)
	c.Streams()
	c.Observe(mostCollections, Heap{}) // of the time before the first stream
	if percent, limit := settings(); percent != -1 || limit != 1<<40 || c.Limit() != limit {
		t.Errorf("disabled with %d%%, %d bytes, and says %d", percent, limit, c.Limit())
	}
	c.Observe(mostCollections-1, Heap{Live: 1 << 40})
	if percent, _ := settings(); percent != -1 {
		t.Error("few collections of a heap within the limit restored it")
	}
	c.Observe(mostCollections, Heap{})
	if percent, limit := settings(); percent != percentBefore || limit != limitBefore || c.Limit() != 0 {
		t.Errorf("many collections left %d%%, %d bytes", percent, limit)
	}
}

func TestARunWithoutStreamsCollectsAfterABoundedAmountOfGarbage(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	c := DisableCollector(1<<40, never)
	t.Cleanup(c.Restore)
	for live, want := range map[int64]int{plainGarbage / 4: 400, plainGarbage: 100, 8 * plainGarbage: 100} {
		c.Observe(100, Heap{Live: live, Now: live})
		if percent, _ := settings(); percent != want {
			t.Errorf("collects after %d%% of a live heap of %d MiB, want %d%%", percent, live>>20, want)
		}
	}
	c.Streams()
	c.Observe(0, Heap{Live: plainGarbage / 4})
	if percent, _ := settings(); percent != -1 {
		t.Errorf("collects after %d%% while there are streams", percent)
	}
	c.Restore()
	c.Streams()
	if percent, _ := settings(); percent == -1 {
		t.Error("a stream after the run turned the collector off")
	}
}

func TestCollectorIsRestoredWhenWhatIsLiveDoesNotFitIntoItsLimit(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	c := DisableCollector(1<<40, never)
	t.Cleanup(c.Restore)
	c.Observe(0, Heap{Live: 1<<40 + 1})
	if c.Limit() != 0 {
		t.Error("a heap beyond the limit left it")
	}
}

func TestCollectorIsLeftAloneWithoutALimitOrWithTheUsersOwn(t *testing.T) {
	for name, hold := range map[string]func(t *testing.T){
		"no limit":   func(*testing.T) { DisableCollector(0, never) },
		"GOGC":       func(t *testing.T) { t.Setenv("GOGC", "50"); DisableCollector(1<<40, never) },
		"GOMEMLIMIT": func(t *testing.T) { t.Setenv("GOMEMLIMIT", "1GiB"); DisableCollector(1<<40, never) },
	} {
		t.Run(name, func(t *testing.T) {
			hold(t)
			if percent, limit := settings(); percent == -1 || limit != math.MaxInt64 {
				t.Errorf("the collector was set to %d%%, %d bytes", percent, limit)
			}
		})
	}
}
