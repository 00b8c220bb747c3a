package httpstream

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// summary writes the facts of a result in a line, so that a table can hold them: chunks+coalesced, token count and
// source, which instants were measured, flags.
func summary(r *Result) string {
	var words []string
	add := func(format string, values ...any) { words = append(words, fmt.Sprintf(format, values...)) }
	if r.Status != 0 && r.Status != 200 {
		add("%d", r.Status)
	}
	if r.Chunks != Unknown {
		add("chunks=%d+%d", r.Chunks, r.Coalesced)
	}
	if r.OutputTokens != Unknown {
		add("tokens=%d:%s", r.OutputTokens, r.TokenSource)
	}
	if r.InputTokens != Unknown {
		add("input=%d", r.InputTokens)
	}
	if r.ReasoningTokens != Unknown {
		add("reasoning=%d", r.ReasoningTokens)
	}
	if r.CachedTokens != Unknown {
		add("cached=%d", r.CachedTokens)
	}
	if r.TTFT != NotMeasured {
		add("ttft")
	}
	if r.TTFTAny != NotMeasured {
		add("any")
	}
	if r.DoneSeen {
		add("done")
	}
	if r.FinishReason != "" {
		add("finish=%s", r.FinishReason)
	}
	if r.Format != "" {
		add("format=%s", r.Format)
	}
	if r.Task != "" {
		add("task=%s", r.Task)
	}
	if r.TaskState != "" {
		add("state=%s", r.TaskState)
	}
	if !math.IsNaN(r.Progress) {
		add("progress=%v", r.Progress)
	}
	if !math.IsNaN(r.Cost) {
		add("cost=%v", r.Cost)
	}
	if r.RetryAfter != Unknown {
		add("retry=%v", r.RetryAfter)
	}
	if r.Resent > 0 {
		add("resent=%d", r.Resent)
	}
	for _, flag := range r.Flags {
		add("!%s", flag)
	}
	return strings.Join(words, " ")
}

// expectResult expects an outcome and the facts of a [summary].
func expectResult(t *testing.T, got *Result, want Outcome, facts string) {
	t.Helper()
	if got.Outcome != want || summary(got) != facts {
		t.Errorf("got  %s [%s] (%s)\nwant %s [%s]", got.Outcome, summary(got), got.Detail, want, facts)
	}
}
