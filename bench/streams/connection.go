package main

import (
	"bufio"
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
	tokenChunk = chunked(`data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1,"model":"bench",` +
		`"choices":[{"index":0,"delta":{"content":"word "},"finish_reason":null}]}` + "\n\n")
	streamEnd = chunked(`data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1,"model":"bench",`+
		`"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\n"+"data: [DONE]\n\n") + "0\r\n\r\n"
	plainBody = `{"id":"chatcmpl-bench","object":"chat.completion","created":1,"model":"bench","choices":[{"index":0,` +
		`"message":{"role":"assistant","content":"word"},"finish_reason":"stop"}],` +
		`"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`
	plainResponse = fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(plainBody), plainBody)
)

// chunked encodes text as one chunk of a chunked body.
func chunked(text string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(text), text) }

// serveConnection responds to one request after another until the client closes the connection.
func serveConnection(conn net.Conn, p plan, writer *chunkWriter, rows *ledger) {
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
		if !strings.Contains(string(body), `"stream":true`) {
			rows.add(row{id: id, arrived: arrived})
			if _, err := io.WriteString(conn, plainResponse); err != nil {
				return
			}
			continue
		}
		if _, err := io.WriteString(conn, streamHead); err != nil {
			return
		}
		s := &stream{conn: conn, plan: p, arrived: arrived, actual: make([]time.Duration, 0, p.tokens), done: make(chan struct{})}
		writer.start(s)
		<-s.done
		rows.add(row{id: id, arrived: arrived, plan: p, actual: s.actual})
		if s.broken {
			return
		}
	}
}
