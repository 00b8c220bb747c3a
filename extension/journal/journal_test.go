package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestJournalWritesEachEventAtOnce(t *testing.T) {
	var file bytes.Buffer
	var j Journal
	j.WriteTo(&file, strings.Clone, func(err error) { t.Error(err) })
	for _, step := range []struct {
		note func()
		want string // without its time; empty for no line
	}{
		{func() { j.Submitting("r1") }, `"event":"submitting","id":"r1"}`},
		{func() { j.Accepted("r1", "t1") }, `"event":"accepted","id":"r1","task":"t1"}`},
		{func() { j.Refused("r2") }, `"event":"refused","id":"r2"}`},
		{func() { j.Unknown("r3", 0) }, `"event":"unknown","id":"r3"}`},
		{func() { j.Unknown("r4", 504) }, `"event":"unknown","id":"r4","status":504}`},
		{func() { j.Ended("t1", "completed") }, `"event":"ended","task":"t1","state":"completed"}`},
		{func() { j.Ended("t1", "completed") }, ""},
		{func() { j.Ended("another run's", "failed") }, ""},
		{func() { j.GoesOn("another run's") }, ""},
		{func() { j.GoesOn("t1") }, `"event":"accepted","id":"r1","task":"t1"}`},
		{func() { j.GoesOn("t1") }, ""},
		{func() { j.Ended("t1", "cancelled") }, `"event":"ended","task":"t1","state":"cancelled"}`},
	} {
		file.Reset()
		step.note()
		got := file.String()
		if step.want == "" && got == "" {
			continue
		}
		if !json.Valid([]byte(got)) || !strings.HasPrefix(got, `{"at":"20`) || !strings.HasSuffix(got, step.want+"\n") || step.want == "" {
			t.Errorf("got %q, want %q at its end", got, step.want)
		}
	}
}

func TestTheSharedLinesAreReadAndWrittenAsTheyAre(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "formats", "testdata", "tasks.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for want := range strings.Lines(string(data)) {
		var e entry
		if err := json.Unmarshal([]byte(want), &e); err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(e); err != nil || string(got) != strings.TrimSpace(want) {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
}

func TestOpenListsAcceptedTasksThatHaveNotEnded(t *testing.T) {
	var j Journal // writes nowhere
	for _, task := range []string{"a", "b", "c"} {
		j.Submitting(task)
		j.Accepted("r-"+task, task)
	}
	j.Ended("b", "cancelled")
	if got, want := j.Open(), []string{"a", "c"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestATaskIsThatOfTheFirstRequestThatGotItsID(t *testing.T) {
	var j Journal
	if !j.Accepted("r1", "t") || !j.Accepted("r2", "other") {
		t.Error("a new id counts as one that was given before")
	}
	if j.Accepted("r3", "t") {
		t.Error("an id that is given again counts as new")
	}
	if got := j.Open(); !slices.Equal(got, []string{"t", "other"}) {
		t.Errorf("open tasks %v", got)
	}
	j.Ended("t", "completed")
	if j.Accepted("r4", "t") || !slices.Equal(j.Open(), []string{"other", "t"}) {
		t.Errorf("an id that is given again after the end of its task: open tasks %v", j.Open())
	}
}

type brokenFile struct{}

func (brokenFile) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestJournalReportsABrokenDisk(t *testing.T) {
	var j Journal
	var reported error
	j.WriteTo(brokenFile{}, strings.Clone, func(err error) { reported = err })
	j.Submitting("r1")
	if reported == nil || !strings.Contains(reported.Error(), "disk full") {
		t.Errorf("reported %v", reported)
	}
}
