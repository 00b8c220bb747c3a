package httpstream

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"
	"time"
)

// step is one thing that the raw server does with a connection after it has read a request.
type step func(conn remote) (open bool)

func send(text string) step {
	return func(conn remote) bool {
		_, err := io.WriteString(conn, text)
		return err == nil
	}
}

// each sends every byte to a read of its own.
func each(text string) step {
	return func(conn remote) bool {
		for i := range len(text) {
			if _, err := conn.Write([]byte{text[i]}); err != nil {
				return false
			}
		}
		return true
	}
}

// pause lets the client do all that it can, and then some time pass.
func pause(d time.Duration) step {
	return func(remote) bool { time.Sleep(d); return true }
}

// fin closes the connection in order.
func fin(conn remote) bool { return false }

// rst closes the connection by a reset.
func rst(conn remote) bool {
	_ = conn.SetLinger(0)
	return false
}

// hold keeps the connection open and silent until the client leaves.
func hold(conn remote) bool {
	_, _ = io.Copy(io.Discard, conn)
	return false
}

// beat sends a comment every few milliseconds until the client leaves.
func beat(conn remote) bool {
	for {
		if _, err := io.WriteString(conn, "3\r\n:\n\n\r\n"); err != nil {
			return false
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// drip sends a byte every few milliseconds until the client leaves.
func drip(conn remote) bool {
	for {
		if _, err := conn.Write([]byte("x")); err != nil {
			return false
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// interim sends an interim response every few milliseconds until the client leaves.
func interim(conn remote) bool {
	for {
		if _, err := io.WriteString(conn, "HTTP/1.1 102 Processing\r\n\r\n"); err != nil {
			return false
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// serve answers the k-th request of all connections with the k-th script, the last one again and again.
func serve(t *testing.T, scripts ...[]step) *url.URL {
	t.Helper()
	served := new(atomic.Int32)
	address := listen(t, func(conn remote) { answer(conn, served, scripts) })
	return &url.URL{Scheme: "http", Host: address, Path: "/v1/chat/completions"}
}

func answer(conn remote, served *atomic.Int32, scripts [][]step) {
	defer conn.Close()
	reader := bufio.NewReader(conn)
	for {
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, request.Body)
		script := scripts[min(int(served.Add(1)), len(scripts))-1]
		for _, do := range script {
			if !do(conn) {
				return
			}
		}
	}
}

// newTestClient returns a client for what [serve] serves, over a transport of its own.
func newTestClient(t *testing.T) (*Client, *atomic.Int64) {
	t.Helper()
	opened := new(Network)
	transport := Transport(&http.Transport{DialContext: dial}, nil, opened)
	t.Cleanup(transport.CloseIdleConnections)
	return NewClient(transport), &opened.Opened
}

// ask sends a request, changed or not, by a client of its own to a server of a script.
func ask(t *testing.T, script []step, change ...func(*Request)) *Result {
	t.Helper()
	client, _ := newTestClient(t)
	request := streamRequest(serve(t, script))
	for _, apply := range change {
		apply(request)
	}
	return client.Do(context.Background(), request)
}

func streamRequest(address *url.URL) *Request {
	return &Request{
		Sent:   time.Now(),
		Method: http.MethodPost, URL: address, Stream: true, Items: Unknown, Body: []byte(`{"stream":true}`),
		Header: http.Header{"Content-Type": {"application/json"}},
		Limits: Limits{Stall: 30 * time.Second, Timeout: time.Minute},
	}
}
