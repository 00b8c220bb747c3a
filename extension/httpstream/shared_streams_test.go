package httpstream

import (
	"context"
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
			client, _ := newTestClient(t)
			got := client.Do(context.Background(), streamRequest(serve(t, []step{typed(tt.ContentType), send(tt.Body), fin})))
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

// facts writes what a whole body decides in a line.
func facts(r *Result) string {
	words := []string{string(r.Outcome)}
	if r.Chunks != Unknown {
		words = append(words, fmt.Sprintf("chunks=%d tokens=%d:%s", r.Chunks, r.OutputTokens, r.TokenSource))
	}
	if r.InputTokens != Unknown {
		words = append(words, fmt.Sprintf("input=%d", r.InputTokens))
	}
	if r.ReasoningTokens != Unknown {
		words = append(words, fmt.Sprintf("reasoning=%d", r.ReasoningTokens))
	}
	if r.CachedTokens != Unknown {
		words = append(words, fmt.Sprintf("cached=%d", r.CachedTokens))
	}
	if r.DoneSeen {
		words = append(words, "done")
	}
	if r.FinishReason != "" {
		words = append(words, "finish="+r.FinishReason)
	}
	if r.Format != "" {
		words = append(words, "format="+r.Format)
	}
	for _, flag := range r.Flags {
		if flag == FlagBuffered && r.Chunks > 1 {
			continue // see checkTimes
		}
		words = append(words, "!"+flag)
	}
	return strings.Join(words, " ")
}
