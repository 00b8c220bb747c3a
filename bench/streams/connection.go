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

// plan says how a stream runs.
type plan struct {
	ttft, itl time.Duration
	tokens    int
}

func (p plan) due(chunk int) time.Duration { return p.ttft + time.Duration(chunk)*p.itl }

const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

var (
	token = chunked(`data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1,"model":"bench",` +
		`"choices":[{"index":0,"delta":{"content":"word "},"finish_reason":null}]}` + "\n\n")
	end = chunked(`data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1,"model":"bench",`+
		`"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\n"+"data: [DONE]\n\n") + "0\r\n\r\n"
	whole = `{"id":"chatcmpl-bench","object":"chat.completion","created":1,"model":"bench","choices":[{"index":0,` +
		`"message":{"role":"assistant","content":"word"},"finish_reason":"stop"}],` +
		`"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`
	answer = fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(whole), whole)
)

func chunked(text string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(text), text) }

// serveConnection answers one request after another until the client leaves.
func serveConnection(conn net.Conn, p plan, clock *clock, truth *ledger) {
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
			truth.add(row{id: id, arrived: arrived})
			if _, err := io.WriteString(conn, answer); err != nil {
				return
			}
			continue
		}
		if _, err := io.WriteString(conn, head); err != nil {
			return
		}
		s := &stream{conn: conn, plan: p, arrived: arrived, actual: make([]time.Duration, 0, p.tokens), done: make(chan struct{})}
		clock.start(s)
		<-s.done
		truth.add(row{id: id, arrived: arrived, plan: p, actual: s.actual})
		if s.broken {
			return
		}
	}
}
