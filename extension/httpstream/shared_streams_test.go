package httpstream

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestWholeStreams(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "scenarios", "testdata", "chat-streams.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name, ContentType, Body, Facts string
		Reasoning                      bool // has reasoning, so that its first token of any kind is measured apart
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, tt := range cases {
		inVirtualTime(t, tt.Name, func(t *testing.T) {
			got := ask(t, []step{typed(tt.ContentType), send(tt.Body), fin})
			if facts := facts(got); facts != tt.Facts {
				t.Errorf("got %s (%s), want %s", facts, got.Detail, tt.Facts)
			}
			checkTimes(t, got, tt.Reasoning)
		})
	}
}

// checkTimes checks what depends on when the body came. It comes in one read, so every chunk but the first is
// coalesced.
func checkTimes(t *testing.T, r *Result, reasoning bool) {
	t.Helper()
	hasContent := r.Chunks > 0 || r.Format != "" && r.Bytes > 0
	if measured := r.TTFT != NotMeasured; measured != hasContent {
		t.Errorf("time to first token measured: %t, want %t", measured, hasContent)
	}
	if measured := r.TTFTAny != NotMeasured; measured != reasoning {
		t.Errorf("time to first token of any kind measured apart: %t, want %t", measured, reasoning)
	}
	if measured := r.TTLTAny != NotMeasured; measured != reasoning {
		t.Errorf("time to last token of any kind measured: %t, want %t", measured, reasoning)
	}
	if buffered := slices.Contains(r.Flags, FlagBuffered); r.Chunks > 1 && buffered != (r.Outcome == OK) {
		t.Errorf("buffered: %t, want it of every stream that is ok, for the body comes at once", buffered)
	}
	if r.Chunks != Unknown && r.Coalesced != max(r.Chunks-1, 0) {
		t.Errorf("coalesced %d of %d chunks", r.Coalesced, r.Chunks)
	}
}

// facts writes what a whole body decides in a line: its outcome, and what of its summary does not depend on time.
func facts(r *Result) string {
	words := slices.DeleteFunc(strings.Fields(string(r.Outcome)+" "+summary(r)), func(word string) bool {
		return word == "ttft" || word == "any" || word == "!"+FlagBuffered && r.Chunks > 1 // see checkTimes
	})
	return strings.Replace(strings.Join(words, " "), fmt.Sprintf("+%d tokens", r.Coalesced), " tokens", 1)
}
