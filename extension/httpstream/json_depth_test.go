package httpstream

import (
	"net/http"
	"strings"
	"testing"
)

func TestJSONFault(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":[1,"b"]}`: "",
		`{"a":`:         "not JSON",
		"":              "not JSON",
		strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth):                     "",
		strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1):                 "nested deeper than 1000 levels",
		strings.Repeat(`{"a":`, maxDepth+1) + "1" + strings.Repeat("}", maxDepth+1):       "nested deeper than 1000 levels",
		"[" + strings.Repeat("[],", 2*maxDepth) + "1]":                                    "",
		`["` + strings.Repeat(`[\"[\\[`, maxDepth) + `"]`:                                 "",
		`["` + strings.Repeat(`[`, maxDepth) + `",` + strings.Repeat("[", maxDepth+1):     "nested deeper than 1000 levels",
		strings.Repeat("]", 2*maxDepth) + strings.Repeat("[", maxDepth) + `"` + "unended": "not JSON",
	} {
		if got := jsonFault(text); got != want {
			t.Errorf("%.40s: got %q, want %q", text, got, want)
		}
	}
}

// Without a limit, the validator would exhaust the stack and end the process.
func TestDeeplyNestedJSONIsMalformed(t *testing.T) {
	deep := strings.Repeat("[", MaxKept-8)
	for name, tt := range map[string]struct {
		stream bool
		script []step
	}{
		"an event":               {true, []step{send(headEOF + "data: " + deep + "\n\n"), fin}},
		"the last event":         {true, []step{send(headEOF + "data: " + deep), fin}},
		"JSON instead of events": {true, []step{typed("application/json"), send(deep), fin}},
		"a line":                 {true, []step{typed("application/x-ndjson"), send("{}\n" + deep + "\n"), fin}},
		"the only line":          {true, []step{typed("application/x-ndjson"), send(deep + "\n"), fin}},
		"a whole answer":         {false, []step{typed("application/json"), send(deep), fin}},
	} {
		inVirtualTime(t, name, func(t *testing.T) {
			got := ask(t, tt.script, func(r *Request) { r.Stream, r.Status = tt.stream, http.StatusOK })
			if got.Outcome != Malformed && (got.Outcome != Truncated || name != "the last event") {
				t.Errorf("got %s (%s), want %s", got.Outcome, got.Detail, Malformed)
			}
		})
	}
}
