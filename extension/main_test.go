package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestARunRecordsEveryOperation(t *testing.T) {
	target := newService(t)
	run := startK6(t, target.URL, []string{"MEMORY_LIMIT=1073741824"}, nil)
	run.expectExit(0)
	records := run.records()
	if want := map[string]int{
		"chat.stream ok": 20, "chat ok": 20, "embeddings ok": 20, "video.submit ok": 40, "video.poll ok": 20, "video.cancel ok": 40,
	}; !maps.Equal(tally(records), want) {
		t.Errorf("got %v, want %v", tally(records), want)
	}
	for _, problem := range target.problems {
		t.Error(problem)
	}
	if open := target.open(); len(open) > 0 {
		t.Errorf("tasks left open: %v", open)
	}
	checkPhases(t, records)
	checkArrivals(t, records)
	if final := run.final(); final["final"] != true || final["records"] != 160.0 || final["completed"] != 160.0 {
		t.Errorf("last health line %v", final)
	}
	for _, line := range run.rows("client.jsonl") {
		if line["memory_limit_mb"] != 1024.0 {
			t.Errorf("line %v, want the memory limit that was given, 1024 MB", line)
		}
	}
	if len(target.traces) != 0 || records[0]["trace_id"] != nil {
		t.Errorf("nobody asked, but the traces %v were sent and %v recorded", target.traces, records[0]["trace_id"])
	}
	for _, name := range []string{"records.jsonl", "client.jsonl", "tasks.jsonl"} {
		data, err := os.ReadFile(filepath.Join(run.dir, name))
		if err != nil || strings.Contains(string(data), "sk-very-secret") {
			t.Errorf("%s holds the secret, or cannot be read: %v", name, err)
		}
	}
}

// checkArrivals checks that every request of a virtual user's arrival tells its number, and no request of the clean-up.
func checkArrivals(t *testing.T, records []row) {
	t.Helper()
	sizes := map[float64]int{}
	cleanUp := 0
	for _, r := range records {
		reason := ""
		if _, known := r["arrival"]; r.text("op") == "video.cancel" {
			reason = map[bool]string{true: "asked", false: "clean_up"}[known]
		}
		if r.text("cancel_reason") != reason {
			t.Errorf("cancel reason %q, want %q: %v", r.text("cancel_reason"), reason, r)
		}
		if number, known := r["arrival"].(float64); known {
			sizes[number]++
		} else if cleanUp++; r.text("op") != "video.cancel" {
			t.Errorf("no arrival in %v", r)
		}
	}
	for number := range 20 {
		if sizes[float64(number)] != 7 {
			t.Errorf("arrival %d has %d requests, want 7", number, sizes[float64(number)])
		}
	}
	if len(sizes) != 20 || cleanUp != 20 {
		t.Errorf("%d arrivals, and %d requests of none; want 20 each", len(sizes), cleanUp)
	}
}

// checkPhases checks the first requests of arrivals: 5 of the 20 are warm-up, a tenth of a second apart.
func checkPhases(t *testing.T, records []row) {
	t.Helper()
	warmup, scheduled := 0, []string{}
	for _, r := range records {
		if _, first := r["lag"]; first != (r.text("op") == "chat.stream") {
			t.Errorf("%s has lag %v", r.text("op"), r["lag"])
		}
		if r.text("op") != "chat.stream" {
			continue
		}
		if r.text("phase") == "warmup" {
			warmup++
		}
		scheduled = append(scheduled, r.text("scheduled"))
	}
	if warmup != 5 {
		t.Errorf("%d arrivals in the warm-up, want 5", warmup)
	}
	slices.Sort(scheduled)
	for k := range scheduled[1:] {
		a, errA := time.Parse(time.RFC3339Nano, scheduled[k])
		b, errB := time.Parse(time.RFC3339Nano, scheduled[k+1])
		if gap := b.Sub(a); errA != nil || errB != nil || gap < 99999*time.Microsecond || gap > 100001*time.Microsecond {
			t.Errorf("arrivals at %s and %s, want 100 ms apart", scheduled[k], scheduled[k+1])
		}
	}
}

// A run that goes on to the end of its schedule lasts an hour, longer than all tests may.
func TestARunEndsAfterItsLastArrival(t *testing.T) {
	for _, process := range []string{"constant", "closed"} {
		run := startK6(t, newService(t).URL, []string{"STEPS=chat", "MAX_ARRIVALS=5", "SECONDS=3600", "PROCESS=" + process}, nil)
		run.expectExit(0)
		if got := tally(run.records()); got["chat ok"] != 5 || len(got) != 1 {
			t.Errorf("%s: %v, want 5 ok", process, got)
		}
		if final := run.final(); final["final"] != true || final["stopped"] != nil {
			t.Errorf("%s: the final line says that something stopped the run: %v", process, final)
		}
	}
}

func TestAnInterruptedRunKeepsTheRecordsOfWhatItCutOff(t *testing.T) {
	for _, process := range []string{"constant", "closed"} {
		target := newService(t, func(s *service) { s.hold = true })
		run := startK6(t, target.URL, []string{"STEPS=stream", "SECONDS=3600", "PROCESS=" + process}, nil)
		run.interruptAt(4)
		records, ends := run.records(), run.arrivals()
		if want := map[string]int{"chat.stream cancelled_by_us": 4}; !maps.Equal(tally(records), want) {
			t.Errorf("%s: got %v, want %v", process, tally(records), want)
		}
		if got := numbers(ends["unfinished"]); !slices.Equal(got, []int{0, 1, 2, 3}) || process == "closed" && len(ends) != 1 {
			t.Errorf("%s: unfinished %v, ends %v", process, got, ends)
		}
		final := run.final()
		if offered, started := final["offered"].(map[string]any), final["started"].(map[string]any); started["warmup"] != 4.0 ||
			offered["measure"].(float64) >= 3600*10-5 {
			t.Errorf("%s: offered %v, started %v; arrivals after the interrupt do not count", process, offered, started)
		}
		if !strings.Contains(final.text("stopped"), "interrupt") || strings.Contains(run.log.String(), "context canceled") {
			t.Errorf("%s: the final line does not say what stopped the run: %v; or the script saw it: %s", process, final, run.log.String())
		}
		for _, r := range records {
			if r["chunks"] != 1.0 || r["ttft"] == nil || r.text("detail") == "" {
				t.Errorf("%s: record %v", process, r)
			}
		}
	}
}

func TestASubmissionUnderWayIsNotCutOffByAnInterrupt(t *testing.T) {
	target := newService(t, func(s *service) { s.submitDelay = 700 * time.Millisecond })
	run := startK6(t, target.URL, []string{"STEPS=submit", "SECONDS=3600", "VUS=3", "RATE=1000"}, nil)
	for range 3 {
		<-target.submitting
	}
	run.interrupt()
	if want := map[string]int{"video.submit ok": 3, "video.cancel ok": 3}; !maps.Equal(tally(run.records()), want) {
		t.Errorf("got %v, want %v", tally(run.records()), want)
	}
	for _, r := range run.records() {
		if r.text("op") == "video.cancel" && r.text("phase") != "drain" {
			t.Errorf("the clean-up's cancel counts as a user's: %v", r)
		}
	}
	if open := target.open(); len(open) > 0 {
		t.Errorf("tasks left open: %v", open)
	}
	events := map[string]int{}
	for _, r := range run.rows("tasks.jsonl") {
		events[r.text("event")]++
	}
	if want := map[string]int{"submitting": 3, "accepted": 3, "ended": 3}; !maps.Equal(events, want) {
		t.Errorf("journal %v, want %v", events, want)
	}
}

func TestTheCleanUpCancelsSeveralTasksAtATime(t *testing.T) {
	var together sync.WaitGroup
	together.Add(3)
	target := newService(t, func(s *service) {
		s.cancelling = func() { together.Done(); together.Wait() }
	})
	run := startK6(t, target.URL, []string{"STEPS=submit", "MAX_ARRIVALS=3"}, nil)
	run.expectExit(0)
	if open := target.open(); len(open) > 0 {
		t.Errorf("tasks left open: %v", open)
	}
}

func TestTheCleanUpEndsInTimeWhenNoCancelDoes(t *testing.T) {
	ended := make(chan struct{})
	target := newService(t, func(s *service) { s.cancelling = func() { <-ended } })
	run := startK6(t, target.URL, []string{"STEPS=submit", "MAX_ARRIVALS=20", "CLEAN_UP_MS=300"}, nil)
	run.expectExit(0) // 100 after k6's own limit
	close(ended)
	// The others were not sent.
	if got := tally(run.records()); got["video.submit ok"] != 20 || got["video.cancel ok"] > 0 || got["video.cancel cancelled_by_us"] > 16 {
		t.Errorf("got %v, want 20 submissions, and at most 16 cancels", got)
	}
}

func TestARunWhoseParentIsGoneCancelsItsTasksAlthoughNobodyReadsItsLog(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot interrupt itself on Windows; it ends hard there")
	}
	target := newService(t)
	stdin, parent, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader, stderr, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	run := startK6(t, target.URL, []string{"STEPS=submit,throwing", "SECONDS=3600", "RATE=50"}, func(cmd *exec.Cmd) {
		cmd.Stdin, cmd.Stderr, cmd.Env = stdin, stderr, append(cmd.Env, "ASSAY_PARENT_PIPE=1")
	})
	_, _ = stdin.Close(), stderr.Close()
	<-target.submitting
	_, _ = reader.Close(), parent.Close()
	run.expectExit(105) // -1 after a signal
	if open := target.open(); len(open) > 0 {
		t.Errorf("tasks left open: %v", open)
	}
}

// That a record waits for half a second at most is tested in virtual time, in package record.
func TestAKilledRunKeepsWhatItWrote(t *testing.T) {
	target := newService(t)
	run := startK6(t, target.URL, []string{"STEPS=chat", "SECONDS=3600", "RATE=100"}, nil)
	written := 0
	run.waitForFile("records.jsonl", func(text string) bool {
		written = strings.Count(text, "\n") - 1 // without the header
		return written >= 100
	})
	if err := run.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	run.wait()
	if got := tally(run.records()); got["chat ok"] < written || len(got) != 1 {
		t.Errorf("%v are left of %d records", got, written)
	}
}

func TestAFolderThatCannotBeUsedIsAnError(t *testing.T) {
	used := t.TempDir()
	if err := os.WriteFile(filepath.Join(used, "records.jsonl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		used:                                     "already contains records.jsonl",
		filepath.Join(used, "none"):              "create the folder first",
		filepath.Join("testdata", "every-op.js"): "it is not a folder",
		"":                                       "no folder was given",
	} {
		run := startK6(t, "http://127.0.0.1:1", nil, func(cmd *exec.Cmd) {
			at := slices.IndexFunc(cmd.Args, func(arg string) bool { return strings.HasPrefix(arg, "assay=") })
			cmd.Args[at] = "assay=" + dir
		})
		run.expectExit(104)
		if !strings.Contains(run.log.String(), want) {
			t.Errorf("%q: it said %s, want %q", dir, run.log.String(), want)
		}
	}
}
