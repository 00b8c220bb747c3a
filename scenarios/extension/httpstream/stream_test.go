package httpstream

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

const (
	headSSE  = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
	headEOF  = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
	last     = "0\r\n\r\n"
	gap      = 3 * time.Millisecond
	role     = `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}` + "\n\n"
	finish   = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	usage    = `data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":7}}` + "\n\n"
	done     = "data: [DONE]\n\n"
	errFrame = `data: {"error":{"message":"overloaded"}}` + "\n\n"
)

// token is an event with content.
func token(text string) string {
	return fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"content":%q}}]}`+"\n\n", text)
}

// frame makes an HTTP chunk.
func frame(part string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(part), part) }

// chunked sends each part as an HTTP chunk.
func chunked(parts ...string) step {
	var out strings.Builder
	for _, part := range parts {
		out.WriteString(frame(part))
	}
	return send(out.String())
}

// typed is a stream of another media type that ends with the connection.
func typed(media string) step {
	if media == "" {
		return send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
	}
	return send("HTTP/1.1 200 OK\r\nContent-Type: " + media + "\r\nConnection: close\r\n\r\n")
}

var streamCases = []struct {
	name   string
	script []step
	want   Outcome
	facts  string
}{
	{"two tokens and [DONE]", []step{send(headSSE), chunked(role), pause(gap), chunked(token("a")), pause(gap), chunked(token("b")), pause(gap), chunked(finish, done), send(last)},
		OK, "chunks=2+0 tokens=2:chunks ttft done finish=stop"},
	{"all in one read", []step{send(headEOF + role + token("a") + token("b") + token("c") + done), fin},
		OK, "chunks=3+2 tokens=3:chunks ttft done"},
	{"usage in an event", []step{send(headSSE), chunked(token("a"), usage, done), send(last)},
		OK, "chunks=1+0 tokens=7:usage ttft done"},
	{"usage beside null choices", []step{send(headSSE), chunked(token("a"), `data: {"choices":null,"usage":{"completion_tokens":3}}`+"\n\n", done), send(last)},
		OK, "chunks=1+0 tokens=3:usage ttft done"},
	{"every byte apart", []step{send(headSSE), each(frame(token("é")) + frame(done) + last)},
		OK, "chunks=1+0 tokens=1:chunks ttft done"},
	{"header bytes apart", []step{each(headSSE), chunked(token("a"), done), send(last)},
		OK, "chunks=1+0 tokens=1:chunks ttft done"},
	{"CR-only line ends", []step{send(headEOF + strings.ReplaceAll(token("a")+done, "\n", "\r")), fin},
		OK, "chunks=1+0 tokens=1:chunks ttft done"},
	{"CRLF line ends", []step{send(headEOF + strings.ReplaceAll(token("a")+done, "\n", "\r\n")), fin},
		OK, "chunks=1+0 tokens=1:chunks ttft done"},
	{"two data lines in an event", []step{send(headEOF + "data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"a\"}}]}\n\n" + done), fin},
		OK, "chunks=1+0 tokens=1:chunks ttft done"},
	{"byte order mark", []step{send(headEOF + "\xef\xbb\xbf" + token("a") + done), fin},
		OK, "chunks=1+0 tokens=1:chunks ttft done"},
	{"comments and ids", []step{send(headEOF + ": hi\nid: 1\n" + token("a") + ": bye\n\n" + done), fin},
		OK, "chunks=1+0 tokens=1:chunks ttft done"},
	{"no space after the colon", []step{send(headEOF + strings.ReplaceAll(token("a")+done, "data: ", "data:")), fin},
		OK, "chunks=1+0 tokens=1:chunks ttft done"},
	{"white space after [DONE]", []step{send(headEOF + token("a") + "data: [DONE] \t\n\n"), fin},
		OK, "chunks=1+0 tokens=1:chunks ttft done"},
	{"events after [DONE] are not read", []step{send(headEOF + token("a") + done + token("b") + errFrame + "data: {\n\n"), fin},
		OK, "chunks=1+0 tokens=1:chunks ttft done"},
	{"[done] in small letters", []step{send(headEOF + token("a") + "data: [done]\n\n"), fin},
		Malformed, "chunks=1+0 tokens=1:chunks ttft"},
	{"finish_reason without [DONE]", []step{send(headEOF + token("a") + finish), fin},
		OK, "chunks=1+0 tokens=1:chunks ttft finish=stop !no-done"},
	{"neither [DONE] nor finish_reason", []step{send(headEOF + token("a")), fin},
		NoDone, "chunks=1+0 tokens=1:chunks ttft"},
	{"an empty stream", []step{send(headEOF), fin}, NoDone, "chunks=0+0 tokens=0:chunks"},
	{"no content but [DONE]", []step{send(headEOF + role + finish + done), fin},
		OK, "chunks=0+0 tokens=0:chunks done finish=stop"},
	{"tool calls only", []step{send(headEOF + `data: {"choices":[{"delta":{"content":null,"tool_calls":[{"id":"x"}]}}]}` + "\n\n" + done), fin},
		OK, "chunks=0+0 tokens=0:chunks done"},
	{"reasoning before content", []step{send(headSSE), chunked(`data: {"choices":[{"delta":{"reasoning_content":"hm"}}]}` + "\n\n"), pause(gap), chunked(token("a"), done), send(last)},
		OK, "chunks=1+0 tokens=1:chunks ttft any done"},
	{"reasoning only", []step{send(headEOF + `data: {"choices":[{"delta":{"reasoning":"hm"}}]}` + "\n\n" + done), fin},
		OK, "chunks=0+0 tokens=0:chunks any done"},
	{"two choices count once", []step{send(headEOF + `data: {"choices":[{"delta":{"content":"a"}},{"delta":{"content":"b"}}]}` + "\n\n" + done), fin},
		OK, "chunks=1+0 tokens=1:chunks ttft done"},
	{"a delta that is null or missing", []step{send(headEOF + `data: {"choices":[{"delta":null},{}]}` + "\n\n" + token("a") + done), fin},
		OK, "chunks=1+0 tokens=1:chunks ttft done"},
	{"an event with empty data", []step{send(headEOF + "data:\n\n" + token("a") + done), fin},
		OK, "chunks=1+0 tokens=1:chunks ttft done"},

	{"an error frame", []step{send(headEOF + token("a") + errFrame), fin}, ErrorFrame, "chunks=1+0 tokens=1:chunks ttft"},
	{"an error frame wins over [DONE]", []step{send(headEOF + errFrame + done), fin}, ErrorFrame, "chunks=0+0 tokens=0:chunks done"},
	{"an error frame wins over a cut", []step{send(headSSE), chunked(errFrame), pause(gap), fin}, ErrorFrame, "chunks=0+0 tokens=0:chunks"},
	{"an error that is null is none", []step{send(headEOF + `data: {"error":null,"choices":[{"delta":{"content":"a"}}]}` + "\n\n" + done), fin},
		OK, "chunks=1+0 tokens=1:chunks ttft done"},
	{"an error event with any data", []step{send(headEOF + "event: error\ndata: oh no\n\n" + done), fin}, ErrorFrame, "chunks=0+0 tokens=0:chunks done"},
	{"a named event with choices", []step{send(headEOF + "event: delta\n" + token("a") + done), fin}, OK, "chunks=1+0 tokens=1:chunks ttft done"},
	{"a message event", []step{send(headEOF + "event: message\n" + token("a") + done), fin}, OK, "chunks=1+0 tokens=1:chunks ttft done"},
	{"other named events are ignored", []step{send(headEOF + "event: ping\ndata: nonsense\n\nevent: x\ndata: 3\n\n" + token("a") + done), fin},
		OK, "chunks=1+0 tokens=1:chunks ttft done"},
	{"data that is not JSON", []step{send(headEOF + "data: {\"choices\":[\n\n" + done), fin}, Malformed, "chunks=0+0 tokens=0:chunks done"},
	{"data that is not an object", []step{send(headEOF + "data: [1]\n\n" + done), fin}, Contract, "chunks=0+0 tokens=0:chunks done"},
	{"content that is a number", []step{send(headEOF + `data: {"choices":[{"delta":{"content":3}}]}` + "\n\n" + done), fin}, Contract, "chunks=0+0 tokens=0:chunks done"},
	{"a whole completion", []step{send(headEOF + `data: {"choices":[{"message":{"content":"a"}}]}` + "\n\n" + done), fin}, Contract, "chunks=0+0 tokens=0:chunks done"},
	{"the first thing wrong decides", []step{send(headEOF + "data: [1]\n\ndata: {\n\n" + errFrame), fin}, Contract, "chunks=0+0 tokens=0:chunks"},

	{"cut after a token", []step{send(headSSE), chunked(token("a")), pause(gap), fin}, Truncated, "chunks=1+0 tokens=1:chunks ttft"},
	{"cut after [DONE]", []step{send(headSSE), chunked(token("a"), done), pause(gap), fin}, Truncated, "chunks=1+0 tokens=1:chunks ttft done"},
	{"cut within an HTTP chunk", []step{send(headSSE + "ff\r\n" + token("a")), pause(gap), fin}, Truncated, "chunks=1+0 tokens=1:chunks ttft"},
	{"bad HTTP chunk size", []step{send(headSSE), chunked(token("a")), send("xyz\r\nfoo\r\n"), fin}, Truncated, "chunks=1+0 tokens=1:chunks ttft"},
	{"shorter than its content length", []step{send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 9999\r\n\r\n" + token("a")), fin},
		Truncated, "chunks=1+0 tokens=1:chunks ttft"},
	{"reset after a token", []step{send(headSSE), chunked(token("a")), rst}, Reset, "chunks=1+0 tokens=1:chunks ttft"},
	{"reset after [DONE]", []step{send(headSSE), chunked(token("a"), done), rst}, Reset, "chunks=1+0 tokens=1:chunks ttft done"},
	{"clean end without the last blank line", []step{send(headEOF + token("a") + "data: [DONE]"), fin}, OK, "chunks=1+0 tokens=1:chunks ttft done !unfinished-event"},
	{"clean end within a token event", []step{send(headEOF + token("a") + strings.TrimSuffix(token("b"), "\n\n")), fin}, NoDone, "chunks=2+1 tokens=2:chunks ttft !unfinished-event"},
	{"clean end within an event's JSON", []step{send(headEOF + token("a") + `data: {"choi`), fin}, Truncated, "chunks=1+0 tokens=1:chunks ttft !unfinished-event"},

	{"closed without a byte", []step{fin}, Truncated, ""},
	{"reset without a byte", []step{rst}, Reset, ""},
	{"closed within the headers", []step{send("HTTP/1.1 200 OK\r\nContent-Ty"), fin}, Truncated, ""},
	{"bytes that are not HTTP", []step{send("SSH-2.0-OpenSSH_9.9\r\n"), fin}, Malformed, ""},
	{"bytes that are not HTTP, without a line end", []step{send("hello"), fin}, Malformed, ""},
	{"a status that is not a number", []step{send("HTTP/1.1 abc OK\r\n\r\n"), fin}, Malformed, ""},
	{"interim answers are not headers", []step{send("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n"), send(headSSE), chunked(token("a"), done), send(last)},
		OK, "chunks=1+0 tokens=1:chunks ttft done"},
	{"another protocol", []step{send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"), hold}, HTTPError, "101"},

	{"status 500 with a broken body", []step{send("HTTP/1.1 500 Oops\r\nContent-Length: 99\r\n\r\n{"), fin}, HTTPError, "500"},
	{"status 429", []step{send("HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n")}, RateLimited, "429 retry=7"},
	{"status 204", []step{send("HTTP/1.1 204 No Content\r\n\r\n")}, HTTPError, "204"},
	{"redirects are not followed", []step{send("HTTP/1.1 307 Moved\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n")}, HTTPError, "307"},

	{"HTML by media type", []step{typed("text/html; charset=utf-8"), send("<html>"), fin}, Malformed, ""},
	{"HTML under the stream's media type", []step{typed("text/event-stream"), send("\n <!doctype html>"), fin}, Malformed, ""},
	{"a JSON answer", []step{typed("application/json"), send(`{"choices":[]}`), fin}, Malformed, ""},
	{"a JSON error", []step{typed("application/json"), send(`{"error":{"message":"no"}}`), fin}, ErrorFrame, ""},
	{"a JSON error under the stream's media type", []step{typed("text/event-stream"), send(`{"error":{"message":"no"}}`), fin}, ErrorFrame, ""},
	{"a JSON answer that is cut", []step{send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"), fin}, Truncated, ""},
	{"events without media type", []step{typed(""), send(token("a") + done), fin}, OK, "chunks=1+0 tokens=1:chunks ttft done !media-type"},
	{"events as text/plain, byte by byte", []step{typed("text/plain"), each(token("a") + done), fin}, OK, "chunks=1+0 tokens=1:chunks ttft done !media-type"},
	{"events as octets", []step{typed("application/octet-stream"), send(": hi\n\n" + token("a") + done), fin}, OK, "chunks=1+0 tokens=1:chunks ttft done !media-type"},
	{"no events without media type", []step{typed(""), send("hello"), fin}, Malformed, "chunks=0+0 tokens=0:chunks !media-type"},
	{"plain text", []step{typed("text/plain; charset=utf-8"), send("dat"), pause(gap), send("e: today"), fin}, OK, "ttft format=text"},
	{"JSON lines", []step{typed("application/x-ndjson"), send("{\"token\":\"a\"}\n"), pause(gap), send("{\"token\":\"b\"}\n"), fin}, OK, "ttft format=json-lines"},
	{"plain text that is cut", []step{send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 99\r\n\r\nhello"), fin}, Truncated, "ttft format=text"},
	{"plain text without a byte", []step{typed("text/plain"), fin}, NoDone, "format=text"},
}

func TestStreams(t *testing.T) {
	for _, tt := range streamCases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			client, _ := newTestClient(t)
			got := client.Do(context.Background(), streamRequest(serve(t, tt.script)))
			if got.Outcome != tt.want || summary(got) != tt.facts {
				t.Errorf("got  %s [%s] (%s)\nwant %s [%s]", got.Outcome, summary(got), got.Detail, tt.want, tt.facts)
			}
			if (got.Detail == "") != (got.Outcome == OK) {
				t.Errorf("outcome %s with detail %q", got.Outcome, got.Detail)
			}
			if got.E2E == NotMeasured {
				t.Error("the end was not stamped")
			}
		})
	}
}
