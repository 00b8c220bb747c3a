package httpstream

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const (
	headSSE  = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
	headEOF  = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
	last     = "0\r\n\r\n"
	gap      = 20 * time.Millisecond
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

// streamCases are those that need more than a complete body; see scenarios/testdata/chat-streams.json for the others.
var streamCases = []struct {
	name   string
	script []step
	want   Outcome
	facts  string
}{
	{"two tokens and [DONE]", []step{send(headSSE), chunked(role), pause(gap), chunked(token("a")), pause(gap), chunked(token("b")), pause(gap), chunked(finish, done), send(last)},
		OK, "chunks=2+0 tokens=2:chunks ttft done finish=stop"},
	{"all in one read", []step{send(headEOF + role + token("a") + token("b") + token("c") + done), fin},
		OK, "chunks=3+2 tokens=3:chunks ttft done !buffered"},
	{"usage in an event", []step{send(headSSE), chunked(token("a"), usage, done), send(last)},
		OK, "chunks=1+0 tokens=7:usage input=1 ttft done !buffered"},
	{"usage beside null choices", []step{send(headSSE), chunked(token("a"), `data: {"choices":null,"usage":{"completion_tokens":3}}`+"\n\n", done), send(last)},
		OK, "chunks=1+0 tokens=3:usage ttft done !buffered"},
	{"every byte apart", []step{send(headSSE), each(frame(token("é")) + frame(done) + last)},
		OK, "chunks=1+0 tokens=1:chunks ttft done"},
	{"header bytes apart", []step{each(headSSE), chunked(token("a"), done), send(last)},
		OK, "chunks=1+0 tokens=1:chunks ttft done"},
	{"reasoning before content", []step{send(headSSE), chunked(`data: {"choices":[{"delta":{"reasoning_content":"hm"}}]}` + "\n\n"), pause(gap), chunked(token("a"), done), send(last)},
		OK, "chunks=1+0 tokens=1:chunks ttft any done"},

	{"an error frame wins over a cut", []step{send(headSSE), chunked(errFrame), pause(gap), fin}, ErrorFrame, "chunks=0+0 tokens=0:chunks"},
	{"data that is not JSON", []step{send(headEOF + "data: {\"choices\":[\n\n" + done), fin}, Malformed, "chunks=0+0 tokens=0:chunks done"},
	{"data that is not an object", []step{send(headEOF + "data: [1]\n\n" + done), fin}, Contract, "chunks=0+0 tokens=0:chunks done"},

	{"cut after a token", []step{send(headSSE), chunked(token("a")), pause(gap), fin}, Truncated, "chunks=1+0 tokens=1:chunks ttft"},
	{"cut after [DONE]", []step{send(headSSE), chunked(token("a"), done), pause(gap), fin}, Truncated, "chunks=1+0 tokens=1:chunks ttft done"},
	{"cut within an HTTP chunk", []step{send(headSSE + "ff\r\n" + token("a")), pause(gap), fin}, Truncated, "chunks=1+0 tokens=1:chunks ttft"},
	{"bad HTTP chunk size", []step{send(headSSE), chunked(token("a")), send("xyz\r\nfoo\r\n"), fin}, Truncated, "chunks=1+0 tokens=1:chunks ttft"},
	{"shorter than its content length", []step{send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 9999\r\n\r\n" + token("a")), fin},
		Truncated, "chunks=1+0 tokens=1:chunks ttft"},
	{"reset after a token", []step{send(headSSE), chunked(token("a")), rst}, Reset, "chunks=1+0 tokens=1:chunks ttft"},
	{"reset after [DONE]", []step{send(headSSE), chunked(token("a"), done), rst}, Reset, "chunks=1+0 tokens=1:chunks ttft done"},

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

	{"a JSON answer that is cut", []step{send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"), fin}, Truncated, ""},
	{"events as text/plain, byte by byte", []step{typed("text/plain"), each(token("a") + done), fin}, OK, "chunks=1+0 tokens=1:chunks ttft done !media-type"},
	{"events as octets", []step{typed("application/octet-stream"), send(": hi\n\n" + token("a") + done), fin}, OK, "chunks=1+0 tokens=1:chunks ttft done !media-type"},
	{"plain text", []step{typed("text/plain; charset=utf-8"), send("dat"), pause(gap), send("e: today"), fin}, OK, "ttft format=text"},
	{"JSON lines", []step{typed("application/x-ndjson"), send("{\"token\":\"a\"}\n"), pause(gap), send("{\"token\":\"b\"}\n"), fin}, OK, "ttft format=json-lines"},
	{"events as JSON lines, byte by byte", []step{typed("application/x-ndjson"), each(token("a") + done), fin}, OK, "chunks=1+0 tokens=1:chunks ttft done !media-type"},
	{"JSON lines, byte by byte", []step{typed("application/jsonl"), each("{\"token\":\"a\"}\r\n{\"token\":\"b\"}"), fin}, OK, "ttft format=json-lines"},
	{"an error in JSON lines, byte by byte", []step{typed("application/x-ndjson"), each("{\"token\":\"a\"}\n{\"error\":\"no\"}\n"), fin}, ErrorFrame, "ttft format=json-lines"},
	{"JSON lines that are cut", []step{typed("application/x-ndjson"), send("{\"token\":\"a\"}\n"), pause(gap), send("{\"tok"), fin}, Truncated, "ttft format=json-lines"},
	{"JSON lines that are reset", []step{typed("application/x-ndjson"), send("{\"token\":\"a\"}\n{\"tok"), rst}, Reset, "ttft format=json-lines"},
	{"HTML as JSON lines, byte by byte", []step{typed("application/x-ndjson"), each("<html></html>\n"), fin}, Malformed, ""},
	{"plain text that is cut", []step{send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 99\r\n\r\nhello"), fin}, Truncated, "ttft format=text"},
}

func TestStreams(t *testing.T) {
	for _, tt := range streamCases {
		inVirtualTime(t, tt.name, func(t *testing.T) {
			got := ask(t, tt.script)
			expectResult(t, got, tt.want, tt.facts)
			if (got.Detail == "") != (got.Outcome == OK) {
				t.Errorf("outcome %s with detail %q", got.Outcome, got.Detail)
			}
			if got.E2E == NotMeasured {
				t.Error("the end was not stamped")
			}
		})
	}
}
