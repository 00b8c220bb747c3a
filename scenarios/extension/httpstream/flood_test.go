package httpstream

import (
	"context"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// flood sends a text again and again, as fast as it is read, until the client leaves.
func flood(text string) step {
	block := []byte(strings.Repeat(text, 1+(1<<20)/len(text)))
	return func(conn *net.TCPConn) bool {
		for {
			if _, err := conn.Write(block); err != nil {
				return false
			}
		}
	}
}

func TestTheTimeLimitEndsAFlood(t *testing.T) {
	for _, tt := range []struct {
		name   string
		script []step
		want   []Outcome // one of them, or TooLarge; what was wrong first decides
	}{
		{"of tokens", []step{send(headEOF), flood(token("a"))}, []Outcome{TimedOut}},
		{"of reasoning", []step{send(headEOF), flood(reasoning)}, []Outcome{TimedOut}},
		{"after [DONE]", []step{send(headEOF + done), flood(token("a"))}, []Outcome{TimedOut}},
		{"within an event", []step{send(headEOF + "data: "), flood("x")}, []Outcome{TimedOut}},
		{"of data lines", []step{send(headEOF), flood("data: x\n")}, []Outcome{TimedOut}},
		{"of empty lines", []step{send(headEOF), flood("\r")}, []Outcome{TimedOut}},
		{"of white space", []step{typed(""), flood(" \t")}, []Outcome{TimedOut}},
		{"of events that are not JSON", []step{send(headEOF), flood("data: {\n\n")}, []Outcome{Malformed}},
		{"of tiny HTTP chunks", []step{send(headSSE), flood("1\r\n\n\r\n")}, []Outcome{TimedOut}},
		{"of JSON lines", []step{typed("application/jsonl"), flood("{}\n")}, []Outcome{TimedOut}},
		{"within a line", []step{typed("application/jsonl"), flood("[")}, []Outcome{TimedOut}},
		{"of interim responses", []step{flood("HTTP/1.1 102 P\r\n\r\n")}, []Outcome{TimedOut}},
		{"of an error", []step{send("HTTP/1.1 500 No\r\n\r\n"), flood("x")}, []Outcome{HTTPError}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			client, _ := newTestClient(t)
			request := streamRequest(serve(t, tt.script))
			request.Limits = Limits{Stall: short, Timeout: short}
			got := client.Do(context.Background(), request)
			if !slices.Contains(append(tt.want, TooLarge), got.Outcome) {
				t.Errorf("got %s (%s), want one of %s", got.Outcome, got.Detail, tt.want)
			}
			if got.E2E > 100*short {
				t.Errorf("it ended after %v, want about %v", got.E2E, short)
			}
		})
	}
}

func TestTheTimeLimitEndsARequestThatIsNotRead(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() }) // it accepts nothing, and the system completes connections all the same
	for _, scheme := range []string{"http", "https"} {
		client, _ := newTestClient(t)
		request := streamRequest(&url.URL{Scheme: scheme, Host: listener.Addr().String(), Path: "/"})
		request.Body = make([]byte, 32<<20)
		request.Limits = Limits{Stall: short, Timeout: short}
		if got := client.Do(context.Background(), request); got.Outcome != TimedOut || got.E2E > 100*short {
			t.Errorf("%s: got %s (%s) after %v", scheme, got.Outcome, got.Detail, got.E2E)
		}
	}
}
