package httpstream

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"
)

// flood sends a text again and again, 4 KiB of it per millisecond, until the client leaves.
func flood(text string) step {
	block := []byte(strings.Repeat(text, 1+(1<<12)/len(text)))
	return func(conn remote) bool {
		for {
			if _, err := conn.Write(block); err != nil {
				return false
			}
			time.Sleep(time.Millisecond)
		}
	}
}

func TestTheTimeLimitEndsAFlood(t *testing.T) {
	for _, tt := range []struct {
		name   string
		script []step
		want   Outcome // what was wrong first decides
	}{
		{"of tokens", []step{send(headEOF), flood(token("a"))}, TimedOut},
		{"of reasoning", []step{send(headEOF), flood(reasoning)}, TimedOut},
		{"after [DONE]", []step{send(headEOF + done), flood(token("a"))}, TimedOut},
		{"within an event", []step{send(headEOF + "data: "), flood("x")}, TimedOut},
		{"of data lines", []step{send(headEOF), flood("data: x\n")}, TimedOut},
		{"of empty lines", []step{send(headEOF), flood("\r")}, TimedOut},
		{"of white space", []step{typed(""), flood(" \t")}, TimedOut},
		{"of events that are not JSON", []step{send(headEOF), flood("data: {\n\n")}, Malformed},
		{"of tiny HTTP chunks", []step{send(headSSE), flood("1\r\n\n\r\n")}, TimedOut},
		{"of JSON lines", []step{typed("application/jsonl"), flood("{}\n")}, TimedOut},
		{"within a line", []step{typed("application/jsonl"), flood("[")}, TimedOut},
		{"of interim responses", []step{flood("HTTP/1.1 102 P\r\n\r\n")}, TimedOut},
		{"of an error", []step{send("HTTP/1.1 500 No\r\n\r\n"), flood("x")}, HTTPError},
	} {
		inVirtualTime(t, tt.name, func(t *testing.T) {
			client, _ := newTestClient(t)
			request := streamRequest(serve(t, tt.script))
			request.Limits = Limits{Stall: short, Timeout: short}
			got := client.Do(context.Background(), request)
			if got.Outcome != tt.want || got.E2E != short {
				t.Errorf("got %s (%s) after %v, want %s after %v", got.Outcome, got.Detail, got.E2E, tt.want, short)
			}
		})
	}
}

func TestTheTimeLimitEndsARequestThatIsNotRead(t *testing.T) {
	for _, scheme := range []string{"http", "https"} {
		inVirtualTime(t, scheme, func(t *testing.T) {
			address := listen(t, func(remote) { time.Sleep(time.Hour) })
			client, _ := newTestClient(t)
			request := streamRequest(&url.URL{Scheme: scheme, Host: address, Path: "/"})
			request.Body = make([]byte, 32<<20)
			request.Limits = Limits{Stall: short, Timeout: short}
			if got := client.Do(context.Background(), request); got.Outcome != TimedOut || got.E2E != short {
				t.Errorf("got %s (%s) after %v", got.Outcome, got.Detail, got.E2E)
			}
		})
	}
}
