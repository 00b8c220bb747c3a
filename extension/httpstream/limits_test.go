package httpstream

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const (
	// short is a limit for what is to exceed it.
	short = 120 * time.Millisecond
	// patient is a limit of silence that a server which sends every beat does not exceed.
	patient = 400 * time.Millisecond
	every   = patient / 10
)

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		name   string
		limits Limits
		script []step
		want   Outcome
		facts  string
	}{
		{"silence before the answer is not a stall", Limits{Stall: short}, []step{pause(3 * short), send(headEOF + done), fin}, OK, "chunks=0+0 tokens=0:chunks done !empty"},
		{"silence before the answer is bounded by the time limit", Limits{Stall: short, Timeout: 3 * short}, []step{hold}, TimedOut, ""},
		{"silence within the headers is not a stall", Limits{Stall: short},
			[]step{send("HTTP/1.1 102 P\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/"), pause(2 * short), send("event-stream\r\n\r\n" + done), fin}, OK, "chunks=0+0 tokens=0:chunks done !empty"},
		{"silence after the headers is not a stall", Limits{Stall: short},
			[]step{send(headSSE), pause(3 * short), chunked(token("a"), done), send(last)}, OK, "chunks=1+0 tokens=1:chunks ttft done"},
		{"silence after the headers is bounded by the time limit", Limits{Stall: short, Timeout: 3 * short}, []step{send(headSSE), hold}, TimedOut, ""},
		{"silence after the first byte, a comment", Limits{Stall: short}, []step{send(headSSE), chunked(":\n"), hold}, Stalled, "chunks=0+0 tokens=0:chunks"},
		{"framing without data is silence", Limits{Stall: short, Timeout: 50 * short}, []step{send(headSSE), chunked(token("a")), send("5;x="), drip}, Stalled, "chunks=1+0 tokens=1:chunks ttft"},
		{"silence after a token", Limits{Stall: short}, []step{send(headSSE), chunked(token("a")), hold}, Stalled, "chunks=1+0 tokens=1:chunks ttft"},
		{"silence after an error frame", Limits{Stall: short}, []step{send(headSSE), chunked(errFrame), hold}, ErrorFrame, "chunks=0+0 tokens=0:chunks"},
		{"silence after [DONE] is not a stall", Limits{Stall: short},
			[]step{send(headSSE), chunked(token("a"), done), pause(3 * short), send(last)}, OK, "chunks=1+0 tokens=1:chunks ttft done !open-after-done"},
		{"silence after [DONE] is bounded by the time limit", Limits{Stall: short, Timeout: 3 * short},
			[]step{send(headSSE), chunked(token("a"), done), hold}, TimedOut, "chunks=1+0 tokens=1:chunks ttft done"},
		{"comments restart the clock", Limits{Stall: patient},
			append(append([]step{send(headSSE)}, slices.Repeat([]step{chunked(":\n"), pause(every)}, 12)...), chunked(token("a"), done), send(last)),
			OK, "chunks=1+0 tokens=1:chunks ttft done"},
		{"endless heartbeats", Limits{Stall: patient, Timeout: 2 * patient}, []step{send(headSSE), beat}, TimedOut, "chunks=0+0 tokens=0:chunks"},
		{"endless interim answers", Limits{Stall: short, Timeout: 3 * short}, []step{interim}, TimedOut, ""},
		{"endless headers", Limits{Stall: short, Timeout: 3 * short}, []step{send("HTTP/1.1 200 OK\r\nX-A: "), drip}, TimedOut, ""},
		{"a status wins over silence", Limits{Stall: short, Timeout: 3 * short}, []step{send("HTTP/1.1 503 No\r\nContent-Length: 9\r\n\r\n"), hold}, HTTPError, "503"},
		{"no bounds", Limits{}, []step{send(headEOF + done), fin}, OK, "chunks=0+0 tokens=0:chunks done !empty"},
	} {
		inVirtualTime(t, tt.name, func(t *testing.T) {
			got := ask(t, tt.script, func(r *Request) { r.Limits = tt.limits })
			expectResult(t, got, tt.want, tt.facts)
		})
	}
}

func TestAClientLeaves(t *testing.T) {
	two := []step{send(headSSE), chunked(token("a")), pause(short), chunked(token("b")), pause(short), chunked(done), send(last)}
	for _, tt := range []struct {
		name  string
		after int
		stay  time.Duration
		want  Outcome
		facts string
		e2e   time.Duration
	}{
		{"after its first token", 1, 0, Left, "chunks=1+0 tokens=1:chunks ttft", 0},
		{"after its second", 2, 0, Left, "chunks=2+0 tokens=2:chunks ttft", short},
		{"not, when there are fewer", 3, 0, OK, "chunks=2+0 tokens=2:chunks ttft done", 2 * short},
		{"after a time", 0, short + short/2, Left, "chunks=2+0 tokens=2:chunks ttft", short + short/2},
		{"not, when the response is complete before", 0, 3 * short, OK, "chunks=2+0 tokens=2:chunks ttft done", 2 * short},
	} {
		inVirtualTime(t, tt.name, func(t *testing.T) {
			client, opened := newTestClient(t)
			request := streamRequest(serve(t, two, two))
			request.LeaveAfter, request.Limits.Stay = tt.after, tt.stay
			got := client.Do(context.Background(), request)
			if got.Outcome != tt.want || summary(got) != tt.facts || got.E2E != tt.e2e || got.Detail != "" {
				t.Errorf("got  %s [%s] %v (%s)\nwant %s [%s] %v", got.Outcome, summary(got), got.E2E, got.Detail, tt.want, tt.facts, tt.e2e)
			}
			again := streamRequest(request.URL)
			client.Do(context.Background(), again)
			if closed := opened.Load() == 2; closed != (tt.want == Left) {
				t.Errorf("%d connections were opened", opened.Load())
			}
		})
	}
}

func TestStalledRequestEndsAtTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _ := newTestClient(t)
		request := streamRequest(serve(t, []step{send(headSSE), pause(short), chunked(token("a")), hold}))
		request.Limits = Limits{Stall: short}
		got := client.Do(context.Background(), request)
		if silence := got.E2E - got.TTFT; silence != short {
			t.Errorf("it ended %v after the last byte, want %v", silence, short)
		}
	})
}

func TestATimeoutSaysWhatWasWaitedFor(t *testing.T) {
	for scheme, want := range map[string]string{"http": "The response was not complete after", "https": "The TLS handshake was not complete after"} {
		inVirtualTime(t, scheme, func(t *testing.T) {
			client, _ := newTestClient(t)
			request := streamRequest(&url.URL{Scheme: scheme, Host: listen(t, func(conn remote) { hold(conn) }), Path: "/"})
			request.Limits = Limits{Timeout: short}
			if got := client.Do(context.Background(), request); got.Outcome != TimedOut || !strings.HasPrefix(got.Detail, want) {
				t.Errorf("got %s (%s), want %s (%s)", got.Outcome, got.Detail, TimedOut, want)
			}
		})
	}
}

func TestChunksRestartTheClockOverAnyTransport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &http.Transport{DialContext: dial}
		t.Cleanup(transport.CloseIdleConnections)
		script := append([]step{send(headSSE)}, slices.Repeat([]step{chunked(token("a")), pause(every)}, 12)...)
		request := streamRequest(serve(t, append(script, chunked(done), send(last))))
		request.Limits = Limits{Stall: patient}
		got := NewClient(transport).Do(context.Background(), request)
		if got.Outcome != OK || got.Chunks != 12 {
			t.Errorf("got %s (%s) with %d chunks, want ok with 12", got.Outcome, got.Detail, got.Chunks)
		}
	})
}

func TestCancellationEndsARequest(t *testing.T) {
	for name, script := range map[string][]step{
		"before the answer": {hold},
		"within the stream": {send(headSSE), chunked(token("a")), hold},
	} {
		inVirtualTime(t, name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), short)
			defer cancel()
			client, _ := newTestClient(t)
			if got := client.Do(ctx, streamRequest(serve(t, script))); got.Outcome != Cancelled || got.E2E != short {
				t.Errorf("got %s (%s) after %v, want %s after %v", got.Outcome, got.Detail, got.E2E, Cancelled, short)
			}
		})
	}
}

func TestAConnectionThatCannotBeOpened(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := &url.URL{Scheme: "http", Host: listener.Addr().String(), Path: "/"}
	_ = listener.Close()
	for target, want := range map[*url.URL]Outcome{
		address: Refused, {Scheme: "http", Host: "host.invalid", Path: "/"}: ClientError,
	} {
		client, opened := newTestClient(t)
		got := client.Do(context.Background(), streamRequest(target))
		if got.Outcome != want || got.Connected || got.Bytes != Unknown || opened.Load() != 0 {
			t.Errorf("%s: got %s (%s), connected %v", target, got.Outcome, got.Detail, got.Connected)
		}
	}
}

func TestAWholeAnswerDoesNotStall(t *testing.T) {
	const head, body = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n", "{}"
	for _, tt := range []struct {
		name    string
		timeout time.Duration
		script  []step
		want    Outcome
	}{
		{"slow to begin", 0, []step{pause(3 * short), send(head + body)}, OK},
		{"slow after its headers", 0, []step{send(head), pause(3 * short), send(body)}, OK},
		{"slow within its body", 0, []step{send(head + body[:1]), pause(3 * short), send(body[1:])}, OK},
		{"silent within its body", 3 * short, []step{send(head + body[:1]), hold}, TimedOut},
	} {
		inVirtualTime(t, tt.name, func(t *testing.T) {
			client, _ := newTestClient(t)
			request := streamRequest(serve(t, tt.script))
			request.Stream, request.Status, request.Limits = false, http.StatusOK, Limits{Stall: short, Timeout: tt.timeout}
			if got := client.Do(context.Background(), request); got.Outcome != tt.want {
				t.Errorf("got %s (%s), want %s", got.Outcome, got.Detail, tt.want)
			}
		})
	}
}

func TestWhiteSpaceBeforeAStreamIsNotKept(t *testing.T) {
	for _, media := range []string{"text/event-stream", ""} {
		watch := startWatch(context.Background(), Limits{}, time.Now())
		t.Cleanup(watch.stop)
		s, result := newStream(), newResult(time.Now())
		s.begin(result, watch, media)
		for range 1000 {
			s.read([]byte(" \n\r\n\n\t\n"), 1)
		}
		if len(s.head) > 2*maxHead {
			t.Errorf("%q: %d bytes are kept", media, len(s.head))
		}
		s.read([]byte("\n"+token("a")+done), 2)
		if s.evaluate(); result.Outcome != "" || len(s.stamps) != 1 {
			t.Errorf("%q: %s (%s) with %d chunks", media, result.Outcome, result.Detail, len(s.stamps))
		}
	}
}

func TestLargeBuffersAreNotKeptForTheNextRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _ := newTestClient(t)
		long := strings.Repeat("x", 1<<20)
		for _, script := range [][]step{
			{send(headEOF + token(long) + done), fin},
			{send(headEOF + ": " + long + "\n\n" + `data: {"id":"` + long + `","choices":[{"delta":{"content":"a"}}]}` + "\n\n" + done), fin},
			{typed("application/x-ndjson"), send(`{"token":"` + long + "\"}\n"), fin},
			{typed("application/json"), send(`{"token":"` + long + `"}`), fin},
			{send(headEOF + strings.Repeat(token("a"), maxRetained/8+1) + done), fin},
		} {
			client.Do(context.Background(), streamRequest(serve(t, script)))
		}
		client.Do(context.Background(), streamRequest(serve(t, []step{send(headEOF + done), fin})))
		s := client.stream
		for name, size := range map[string]int{
			"head": cap(s.head), "stamps": 8 * cap(s.stamps), "body": cap(s.body.body), "line": cap(s.lines.line),
			"spread": cap(s.lines.spread.body), "template": cap(s.template.before) + cap(s.template.after),
		} {
			if size > maxRetained {
				t.Errorf("%s keeps %d bytes", name, size)
			}
		}
	})
}
