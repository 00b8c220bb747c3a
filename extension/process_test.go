package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// asK6 makes the test binary be k6, so that the tests run the whole program without building it again.
const asK6 = "ASSAY_TEST_AS_K6"

func TestMain(m *testing.M) {
	if os.Getenv(asK6) == "1" {
		main()
		return
	}
	os.Exit(m.Run())
}

// k6 is a run of testdata/every-op.js.
type k6 struct {
	t     *testing.T
	cmd   *exec.Cmd
	dir   string
	log   bytes.Buffer
	err   error         // of the end of the process
	ended chan struct{} // closed at its end
}

// spare is how long before the end of all tests a run that hangs is killed, so that its test says which.
const spare = 5 * time.Second

// startK6 starts a run against a target; env are pairs NAME=VALUE, and prepare may change the command.
func startK6(t *testing.T, target string, env []string, prepare func(*exec.Cmd)) *k6 {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := &k6{t: t, dir: t.TempDir(), ended: make(chan struct{})}
	run.cmd = exec.Command(self, "run", "--no-usage-report", "--address", "", "--summary-mode=disabled", "--no-thresholds",
		"--quiet", "--no-color", "--out", "assay="+run.dir, "-e", "TARGET="+target)
	for _, pair := range env {
		run.cmd.Args = append(run.cmd.Args, "-e", pair)
	}
	run.cmd.Args = append(run.cmd.Args, filepath.Join("testdata", "every-op.js"))
	run.cmd.Env = append(os.Environ(), asK6+"=1")
	run.cmd.Stdout, run.cmd.Stderr = &run.log, &run.log
	if prepare != nil {
		prepare(run.cmd)
	}
	if err := run.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(run.ended)
		run.err = run.cmd.Wait()
	}()
	t.Cleanup(func() { _ = run.cmd.Process.Kill(); <-run.ended })
	if deadline, limited := t.Deadline(); limited {
		hung := time.AfterFunc(time.Until(deadline.Add(-spare)), func() { _ = run.cmd.Process.Kill() })
		t.Cleanup(func() { hung.Stop() })
	}
	return run
}

// wait returns the exit code.
func (k *k6) wait() int {
	k.t.Helper()
	<-k.ended
	var exit *exec.ExitError
	if k.err != nil && !errors.As(k.err, &exit) {
		k.t.Fatal(k.err)
	}
	return k.cmd.ProcessState.ExitCode()
}

// expectExit waits for an exit code.
func (k *k6) expectExit(want int) {
	k.t.Helper()
	if got := k.wait(); got != want {
		k.t.Fatalf("exit code %d, want %d; it said:\n%s", got, want, k.log.String())
	}
}

// interrupt ends the run by Ctrl-C.
func (k *k6) interrupt() {
	k.t.Helper()
	if err := k.cmd.Process.Signal(os.Interrupt); err != nil {
		k.t.Fatal(err)
	}
	k.expectExit(105)
}

// interruptAt does so once so many requests are in flight.
func (k *k6) interruptAt(open int) {
	k.t.Helper()
	k.waitFor(fmt.Sprintf(`"open":%d`, open))
	k.interrupt()
}

// row is a line of any of the files.
type row map[string]any

func (r row) text(name string) string { value, _ := r[name].(string); return value }

// rows reads a file of the run; every line must be whole.
func (k *k6) rows(name string) []row {
	k.t.Helper()
	data, err := os.ReadFile(filepath.Join(k.dir, name))
	if err != nil {
		k.t.Fatal(err)
	}
	var rows []row
	reader := bufio.NewReader(bytes.NewReader(data))
	for {
		line, err := reader.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			return rows
		}
		var r row
		if err != nil || json.Unmarshal(line, &r) != nil {
			k.t.Fatalf("%s holds a broken line: %q", name, line)
		}
		rows = append(rows, r)
	}
}

// final is the last row of the health file.
func (k *k6) final() row {
	k.t.Helper()
	rows := k.rows("client.jsonl")
	return rows[len(rows)-1]
}

// records are the rows of requests.
func (k *k6) records() []row {
	k.t.Helper()
	return slices.DeleteFunc(k.recordRows(), isArrival)
}

// arrivals are the rows of arrivals whose requests do not tell how they ended, by how they did.
func (k *k6) arrivals() map[string][]row {
	k.t.Helper()
	ends := map[string][]row{}
	for _, r := range k.recordRows() {
		if isArrival(r) {
			arrival := row(r["arrival"].(map[string]any))
			ends[arrival.text("end")] = append(ends[arrival.text("end")], arrival)
		}
	}
	return ends
}

func isArrival(r row) bool { _, is := r["arrival"].(map[string]any); return is }

// recordRows are the rows after the first, which it checks.
func (k *k6) recordRows() []row {
	k.t.Helper()
	rows := k.rows("records.jsonl")
	if len(rows) == 0 || rows[0].text("schema") != "assay.records/1" {
		k.t.Fatalf("the records have no header: %v", rows)
	}
	return rows[1:]
}

// tally counts records by operation and outcome.
func tally(records []row) map[string]int {
	counts := map[string]int{}
	for _, r := range records {
		counts[r.text("op")+" "+r.text("outcome")]++
	}
	return counts
}

// waitFor waits until the run's health file shows something.
func (k *k6) waitFor(what string) {
	k.t.Helper()
	k.waitForFile("client.jsonl", func(text string) bool { return strings.Contains(text, what) })
}

// waitForFile waits until a file of the run shows something, or the run is over.
func (k *k6) waitForFile(name string, shows func(text string) bool) {
	k.t.Helper()
	for {
		data, _ := os.ReadFile(filepath.Join(k.dir, name))
		if shows(string(data)) {
			return
		}
		select {
		case <-k.ended:
			k.t.Fatalf("the run ended before %s showed what was waited for; k6 said:\n%s", name, k.log.String())
		case <-time.After(10 * time.Millisecond):
		}
	}
}
