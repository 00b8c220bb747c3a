package httpstream

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const reasoning = `data: {"choices":[{"delta":{"reasoning_content":"hm"}}]}` + "\n\n"

func TestContentThatCameAtOnceIsFlagged(t *testing.T) {
	many := strings.Repeat(token("word "), 150) // more than a read takes
	for _, tt := range []struct {
		name   string
		script []step
		want   []string
	}{
		{"all of it", []step{send(headEOF + many + done), fin}, []string{FlagBuffered}},
		{"all of it, after the headers", []step{send(headEOF), pause(gap), send(many + done), fin}, []string{FlagBuffered}},
		{"all of it, as HTTP chunks", []step{send(headSSE), pause(gap), send(strings.Repeat(frame(token("word ")), 200) + frame(done) + last)}, []string{FlagBuffered}},
		{"all of it, after reasoning", []step{send(headSSE), chunked(reasoning), pause(gap), chunked(token("a"), token("b"), done), send(last)}, []string{FlagBuffered}},
		{"all but the first event", []step{send(headSSE), chunked(token("a")), pause(gap), chunked(many, done), send(last)}, nil},
		{"all but the last event", []step{send(headSSE), chunked(many), pause(gap), chunked(token("a"), done), send(last)}, nil},
		{"a single event", []step{send(headSSE), chunked(token("a"), done), send(last)}, nil},
		{"nothing", []step{send(headSSE), chunked(role, finish, done), send(last)}, []string{FlagEmpty}},
		{"all, and its end late", []step{send(headSSE), chunked(token("a"), done), pause(openAfterDone), send(last)}, []string{FlagOpenAfterDone}},
		{"all, and its end soon", []step{send(headSSE), chunked(token("a"), done), pause(openAfterDone - time.Millisecond), send(last)}, nil},
		{"a stream that was cut", []step{send(headSSE), chunked(many), fin}, nil},
	} {
		inVirtualTime(t, tt.name, func(t *testing.T) {
			got := ask(t, tt.script)
			if !slices.Equal(got.Flags, tt.want) {
				t.Errorf("%s (%s): flags %q, want %q", got.Outcome, got.Detail, got.Flags, tt.want)
			}
		})
	}
}

func TestAFirstEventOfManyTokensIsFlagged(t *testing.T) {
	counted := func(tokens int) string {
		return fmt.Sprintf(`data: {"choices":[],"usage":{"completion_tokens":%d}}`+"\n\n", tokens)
	}
	for name, tt := range map[string]struct {
		first, event string
		events       int // after the first
		tokens       int
		flagged      bool
	}{
		"40 tokens, then 10":               {strings.Repeat("word ", 40), "word ", 10, 50, true},
		"4 tokens, then 10":                {strings.Repeat("word ", 4), "word ", 10, 14, true},
		"one token each":                   {"word ", "word ", 10, 11, false},
		"one token each, and its end":      {"incomprehensibilities", "a", 4, 6, false},
		"a long word, then 5 and 2 unseen": {"incomprehensibilities", "a", 5, 8, false},
		"4 tokens each":                    {strings.Repeat("word ", 4), strings.Repeat("word ", 4), 40, 164, false},
		"many in the event after the next": {"word ", strings.Repeat("word ", 20), 2, 41, false},
	} {
		inVirtualTime(t, name, func(t *testing.T) {
			parts := []string{token(tt.first)}
			for range tt.events {
				parts = append(parts, token(tt.event))
			}
			got := streamed(t, append(parts, counted(tt.tokens)))
			if flagged := slices.Contains(got.Flags, FlagLargeFirstEvent); got.Outcome != OK || flagged != tt.flagged {
				t.Errorf("%s (%s): flags %q", got.Outcome, got.Detail, got.Flags)
			}
		})
	}
}

func TestContentThatCameAtOnceOverHTTP2IsFlagged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, address := secureServer(t, true, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, token("a")+token("b")+done)
		})
		client, _ := trusting(t, server)
		if got := client.Do(context.Background(), streamRequest(address)); !slices.Equal(got.Flags, []string{FlagBuffered}) {
			t.Errorf("%s (%s): flags %q", got.Outcome, got.Detail, got.Flags)
		}
	})
}

// streamed is the result of a stream whose parts follow each other by a gap.
func streamed(t *testing.T, parts []string) *Result {
	t.Helper()
	script := []step{send(headSSE)}
	for _, part := range parts {
		script = append(script, chunked(part), pause(gap))
	}
	client, _ := newTestClient(t)
	return client.Do(context.Background(), streamRequest(serve(t, append(script, chunked(done), send(last)))))
}

func TestTheLastTokenOfAnyKindMayBeReasoning(t *testing.T) {
	for name, tt := range map[string]struct {
		parts []string
		after bool // reasoning came after the last content
	}{
		"content last":   {[]string{reasoning, token("a"), token("b")}, false},
		"reasoning last": {[]string{reasoning, token("a"), reasoning}, true},
	} {
		inVirtualTime(t, name, func(t *testing.T) {
			got := streamed(t, tt.parts)
			lastContent := got.TTFT
			for _, us := range got.GapsUS {
				lastContent += time.Duration(us) * time.Microsecond
			}
			if after := got.TTLTAny > lastContent+time.Microsecond; got.Outcome != OK || after != tt.after || got.TTFTAny >= got.TTFT {
				t.Errorf("%s (%s): first of any kind %v, first and last content %v and %v, last of any kind %v",
					got.Outcome, got.Detail, got.TTFTAny, got.TTFT, lastContent, got.TTLTAny)
			}
		})
	}
}

func TestEventsWithoutContentAreCountedWithTheirTimes(t *testing.T) {
	const blank = `data: {"choices":[{"delta":{"content":""}}]}` + "\n\n"
	for name, tt := range map[string]struct {
		parts           []string
		empties, blanks Events
		usage           bool
	}{
		"a role, a finish_reason and a usage": {
			[]string{role, token("a"), finish, usage}, Events{2, 0, 2 * gap}, Events{}, true,
		},
		"empty texts": {[]string{blank, token("a"), blank, finish}, Events{3, 0, 3 * gap}, Events{2, 0, 2 * gap}, false},
		"reasoning":   {[]string{reasoning, token("a")}, Events{}, Events{}, false},
	} {
		inVirtualTime(t, name, func(t *testing.T) {
			got := streamed(t, tt.parts)
			if got.Empties != tt.empties || got.Blanks != tt.blanks {
				t.Errorf("%s: events without content %+v, with an empty text %+v", got.Outcome, got.Empties, got.Blanks)
			}
			if measured := got.Usage == 3*gap; measured != tt.usage {
				t.Errorf("usage at %v", got.Usage)
			}
		})
	}
}

func TestAReplyThatEndsForItsLengthBelowMaxTokensIsFlagged(t *testing.T) {
	for _, tt := range []struct {
		name      string
		result    Result
		maxTokens int
		flagged   bool
	}{
		{"as many as its context holds", Result{Outcome: OK, FinishReason: "length", TokenSource: TokensOfUsage, OutputTokens: 181}, 500, true},
		{"as many as were asked for", Result{Outcome: OK, FinishReason: "length", TokenSource: TokensOfUsage, OutputTokens: 500}, 500, false},
		{"one less, as without its end token", Result{Outcome: OK, FinishReason: "length", TokenSource: TokensOfUsage, OutputTokens: 499}, 500, false},
		{"an end of its own", Result{Outcome: OK, FinishReason: "stop", TokenSource: TokensOfUsage, OutputTokens: 181}, 500, false},
		{"counted by chunks", Result{Outcome: OK, FinishReason: "length", TokenSource: TokensOfChunks, OutputTokens: 181}, 500, false},
		{"a failure", Result{Outcome: Truncated, FinishReason: "length", TokenSource: TokensOfUsage, OutputTokens: 181}, 500, false},
		{"no limit", Result{Outcome: OK, FinishReason: "length", TokenSource: TokensOfUsage, OutputTokens: 181}, Unknown, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.result.CheckLength(tt.maxTokens)
			if flagged := slices.Contains(tt.result.Flags, FlagBelowMaxTokens); flagged != tt.flagged {
				t.Errorf("flags %q", tt.result.Flags)
			}
		})
	}
}
