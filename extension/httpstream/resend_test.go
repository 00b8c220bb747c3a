package httpstream

import (
	"context"
	"strings"
	"testing"
)

func TestRequestIsSentAgainOnlyWhenAUsedConnectionWasStale(t *testing.T) {
	ok := []step{send(headSSE), chunked(token("a"), done), send(last)}
	const fine = "chunks=1+0 tokens=1:chunks ttft done"
	for _, tt := range []struct {
		name    string
		scripts [][]step // the first request is always answered well, on a fresh connection
		want    Outcome
		facts   string
	}{
		{"a live connection", [][]step{ok, ok}, OK, fine},
		{"closed while the request was under way", [][]step{ok, {fin}, ok}, OK, fine + " resent=1"},
		{"reset while the request was under way", [][]step{ok, {rst}, ok}, OK, fine + " resent=1"},
		{"only once", [][]step{ok, {fin}, {fin}, ok}, Truncated, "resent=1"},
		{"not after a byte of an answer", [][]step{ok, {send("HTTP/1.1 2"), fin}, ok}, Truncated, ""},
		{"not after an interim answer", [][]step{ok, {send("HTTP/1.1 102 P\r\n\r\n"), pause(gap), fin}, ok}, Truncated, ""},
	} {
		for _, method := range []string{"POST with a body", "POST", "GET"} {
			inVirtualTime(t, tt.name+", "+method, func(t *testing.T) {
				client, _ := newTestClient(t)
				request := streamRequest(serve(t, tt.scripts...))
				if method != "POST with a body" {
					request.Method, request.Body = method, nil
				}
				if first := client.Do(context.Background(), request); first.Outcome != OK || first.Reused {
					t.Fatalf("first request: %s (%s), reused %v", first.Outcome, first.Detail, first.Reused)
				}
				got := client.Do(context.Background(), request)
				expectResult(t, got, tt.want, tt.facts)
			})
		}
	}
}

func TestRequestThatStartsPaidWorkIsSentOnce(t *testing.T) {
	ok := []step{send(headSSE), chunked(token("a"), done), send(last)}
	for _, tt := range []struct {
		name string
		end  step
		want Outcome
	}{{"closed", fin, Truncated}, {"reset", rst, Reset}} {
		inVirtualTime(t, tt.name, func(t *testing.T) {
			client, _ := newTestClient(t)
			request := streamRequest(serve(t, ok, []step{tt.end}, ok))
			request.Once = true
			if first := client.Do(context.Background(), request); first.Outcome != OK {
				t.Fatalf("first request: %s (%s)", first.Outcome, first.Detail)
			}
			got := client.Do(context.Background(), request)
			expectResult(t, got, tt.want, "")
			if !strings.HasSuffix(got.Detail, notAgain) {
				t.Errorf("the detail does not say why it was not sent again: %s", got.Detail)
			}
		})
	}
}

func TestOneConnectionServesManyRequests(t *testing.T) {
	for name, body := range map[string][]byte{"short": []byte("{}"), "long": make([]byte, 2*mostAtOnce)} {
		inVirtualTime(t, name, func(t *testing.T) {
			client, opened := newTestClient(t)
			request := streamRequest(serve(t, []step{send(headSSE), chunked(token("a"), done), pause(gap), send(last)}))
			request.Body = body
			for k := range 5 {
				if got := client.Do(context.Background(), request); got.Outcome != OK || got.Reused != (k > 0) {
					t.Errorf("request %d: %s (%s), reused %v", k, got.Outcome, got.Detail, got.Reused)
				}
			}
			if n := opened.Load(); n != 1 {
				t.Errorf("%d connections were opened, want 1", n)
			}
		})
	}
}
