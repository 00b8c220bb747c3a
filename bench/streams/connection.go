package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// plan holds the planned timing of a stream.
type plan struct {
	ttft, itl time.Duration
	tokens    int
}

func (p plan) due(chunk int) time.Duration { return p.ttft + time.Duration(chunk)*p.itl }

const streamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

var (
	tokenEvent = `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1,"model":"bench",` +
		`"choices":[{"index":0,"delta":{"content":"word "},"finish_reason":null}]}` + "\n\n"
	tokenChunk = chunked(tokenEvent)
	finish     = `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1,"model":"bench",` +
		`"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	usage = `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1,"model":"bench",` +
		`"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":%d,"total_tokens":%d}}` + "\n\n"
	streamEnd = "0\r\n\r\n"
	plainBody = `{"id":"chatcmpl-bench","object":"chat.completion","created":1,"model":"bench","choices":[{"index":0,` +
		`"message":{"role":"assistant","content":"word"},"finish_reason":"stop"}],` +
		`"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`
	plainHead = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
)

// response is the body of one that is not a stream.
func response(request *http.Request, body []byte) string {
	if strings.HasSuffix(request.URL.Path, "/embeddings") {
		return embeddings(body)
	}
	return plainBody
}

// withLength is the end of a response with this body.
func withLength(body string) string {
	return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
}

// eventsAtEnd are what follows the last token of a stream; a client that asked for the usage gets it.
func eventsAtEnd(tokens int, usageAsked bool) string {
	events := finish
	if usageAsked {
		events += fmt.Sprintf(usage, tokens, tokens+1)
	}
	return events + "data: [DONE]\n\n"
}

// endOf is what follows the last chunk of a stream that fails in this way, or not.
func endOf(f failure, tokens int, usageAsked bool) string {
	switch f {
	case cut:
		return ""
	case errorEvent:
		return errorEnd
	case noDone:
		return streamEnd
	}
	return chunked(eventsAtEnd(tokens, usageAsked)) + streamEnd
}

// chunked encodes text as one chunk of a chunked body.
func chunked(text string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(text), text) }

func isStream(body []byte) bool { return bytes.Contains(body, []byte(`"stream":true`)) }

func asksForUsage(body []byte) bool { return bytes.Contains(body, []byte(`"include_usage":true`)) }

// serveConnection responds to one request after another until the client closes the connection.
func serveConnection(conn net.Conn, healthy plan, fails *failing, writer *chunkWriter, rows *ledger) {
	defer func() { _ = conn.Close() }()
	reader := bufio.NewReader(conn)
	for {
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		arrived := time.Now()
		id := request.Header.Get("X-Request-Id")
		if !isStream(body) {
			rows.add(row{id: id, arrived: arrived})
			if _, err := io.WriteString(conn, plainHead+withLength(response(request, body))); err != nil {
				return
			}
			continue
		}
		p, failure := healthy, fails.next()
		if failure == httpError {
			rows.add(row{id: id, arrived: arrived, failure: failure})
			if _, err := io.WriteString(conn, errorResponse); err != nil {
				return
			}
			continue
		}
		if failure != "" {
			p = healthy.failed()
		}
		if _, err := io.WriteString(conn, streamHead); err != nil {
			return
		}
		end := endOf(failure, p.tokens, asksForUsage(body))
		s := &stream{conn: conn, plan: p, end: end, arrived: arrived, actual: make([]time.Duration, 0, p.tokens), done: make(chan struct{})}
		writer.start(s)
		<-s.done
		rows.add(row{id: id, arrived: arrived, plan: p, actual: s.actual, failure: failure})
		if s.broken || failure == cut {
			return
		}
	}
}
