package httpstream

import (
	"context"
	"testing"
	"time"

	"assay.dev/k6/sse"
)

// whole is an event as a server sends it.
func whole(text string) string {
	return `{"id":"c","choices":[{"index":0,"delta":{"content":` + text + `},"finish_reason":null}],"usage":null}`
}

// openStream is a stream that has read the given events.
func openStream(t testing.TB, events ...string) *stream {
	watch := startWatch(context.Background(), Limits{}, time.Now())
	t.Cleanup(watch.stop)
	s := newStream()
	s.begin(newResult(time.Now()), watch, "text/event-stream")
	for _, data := range events {
		s.event(sse.Event{Data: []byte(data)})
	}
	return s
}

func TestOnlyEventsThatDifferInTheirTextFitTheTemplate(t *testing.T) {
	s := openStream(t, whole(`"a"`))
	for _, tt := range []struct {
		name, data string
		want       bool
	}{
		{"another text", whole(`"Grüße, \u00b5"`), false},
		{"another text without escapes", whole(`"Grüße"`), true},
		{"no text", whole(`""`), false},
		{"null", whole(`null`), false},
		{"an escaped quote at the end", whole(`"a\""`), false},
		{"a second string", whole(`"a","content":"b"`), false},
		{"a control character", whole("\"a\tb\""), false},
		{"an end", `{"id":"c","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}],"usage":null}`, false},
		{"usage", `{"id":"c","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}],"usage":{"completion_tokens":3}}`, false},
		{"more after it", whole(`"a"`) + " ", false},
		{"cut off", whole(`"a"`)[:60], false},
		{"the overlap of both ends", `{"id":"c","choices":[{"index":0,"delta":{"content":"},"finish_reason":null}],"usage":null}`, false},
	} {
		if got := s.template.fits([]byte(tt.data)); got != tt.want {
			t.Errorf("%s: fits is %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestNotemplateIsTakenOfWhatMeansMoreThanItsText(t *testing.T) {
	for name, data := range map[string]string{
		"reasoning":   `{"choices":[{"delta":{"content":"a","reasoning":"r"}}]}`,
		"an end":      `{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`,
		"usage":       `{"choices":[{"delta":{"content":"a"}}],"usage":{"completion_tokens":1}}`,
		"two choices": `{"choices":[{"delta":{"content":"a"}},{"delta":{"content":"b"}}]}`,
		"a fault":     `{"choices":[{"delta":{"content":"a"}},7]}`,
		"no content":  `{"choices":[{"delta":{"role":"assistant","content":""}}]}`,
	} {
		if s := openStream(t, data); s.template.fits([]byte(data)) {
			t.Errorf("%s: a template was learned", name)
		}
	}
	if s := openStream(t, whole(`"a"`)); len(s.template.before) == 0 {
		t.Error("no template was learned from plain content")
	}
}

// FuzzEventTemplate compares a stream that has a template with one that parses everything.
func FuzzEventTemplate(f *testing.F) {
	for _, text := range []string{`"b"`, `""`, `null`, `"b\""`, `"b","x":"c"`, `7`, `"`, `{}`} {
		f.Add(whole(`"a"`), whole(text))
	}
	f.Add(whole(`"a"`), `{"error":{}}`)
	f.Fuzz(func(t *testing.T, first, second string) {
		quick, slow := openStream(t, first, second), openStream(t, first)
		slow.template.forget()
		slow.event(sse.Event{Data: []byte(second)})
		if len(quick.stamps) != len(slow.stamps) || quick.result.Outcome != slow.result.Outcome ||
			quick.usage != slow.usage || quick.result.FinishReason != slow.result.FinishReason {
			t.Errorf("%d chunks and %q with a template, %d and %q without", len(quick.stamps), quick.result.Outcome, len(slow.stamps), slow.result.Outcome)
		}
	})
}
