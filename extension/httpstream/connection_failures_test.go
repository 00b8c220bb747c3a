package httpstream

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
)

// severed is a connection that holds one of its writes back until the reader of net/http has closed it.
type severed struct {
	net.Conn
	holdAt int32 // number of the write, from 1
	writes atomic.Int32
	closed chan struct{}
	once   sync.Once
}

func (s *severed) Write(data []byte) (int, error) {
	if s.writes.Add(1) == s.holdAt {
		<-s.closed
	}
	return s.Conn.Write(data)
}

func (s *severed) Close() error {
	s.once.Do(func() { close(s.closed) })
	return s.Conn.Close()
}

// dialSevered returns a dialer whose k-th connection holds back the write holdAt[k]; 0 and further connections none.
func dialSevered(holdAt ...int32) func(context.Context, string, string) (net.Conn, error) {
	var dialed atomic.Int32
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		k, hold := int(dialed.Add(1))-1, int32(0)
		if k < len(holdAt) {
			hold = holdAt[k]
		}
		return &severed{Conn: conn, holdAt: hold, closed: make(chan struct{})}, nil
	}
}

// serveHalves answers the first request of every connection that is not in halves; of the others, and of the second
// request of the first connection, it reads the headers and then ends the connection.
func serveHalves(t *testing.T, end step, halves ...int) *url.URL {
	t.Helper()
	whole := func(conn remote, reader *bufio.Reader) bool {
		request, err := http.ReadRequest(reader)
		if err != nil {
			return false
		}
		_, _ = io.Copy(io.Discard, request.Body)
		return send(headSSE)(conn) && chunked(token("a"), done)(conn) && send(last)(conn)
	}
	var accepted atomic.Int32
	address := listen(t, func(conn remote) {
		defer conn.Close()
		k, reader := int(accepted.Add(1))-1, bufio.NewReader(conn)
		for _, half := range halves {
			if k == half && (k > 0 || whole(conn, reader)) {
				_, _ = http.ReadRequest(reader) // without its body
				end(conn)
				return
			}
		}
		whole(conn, reader)
	})
	return &url.URL{Scheme: "http", Host: address, Path: "/"}
}

func TestAUsedConnectionThatEndsBetweenTheWritesOfARequest(t *testing.T) {
	for _, tt := range []struct {
		name   string
		end    step
		halves []int // connections that end between two writes
		want   Outcome
		facts  string
	}{
		{"closed: sent again", fin, []int{0}, OK, "chunks=1+0 tokens=1:chunks ttft done resent=1"},
		{"reset: sent again", rst, []int{0}, OK, "chunks=1+0 tokens=1:chunks ttft done resent=1"},
		{"closed twice", fin, []int{0, 1}, Truncated, "resent=1"},
		{"reset twice", rst, []int{0, 1}, Reset, "resent=1"},
	} {
		inVirtualTime(t, tt.name, func(t *testing.T) {
			// Headers and body are a write each, so the body of the second request is the fourth.
			holdAt := []int32{4, 2}[:len(tt.halves)]
			transport := Transport(&http.Transport{DialContext: dialSevered(holdAt...)}, nil, new(Network))
			t.Cleanup(transport.CloseIdleConnections)
			client := NewClient(transport)
			address := serveHalves(t, tt.end, tt.halves...)
			if first := client.Do(context.Background(), streamRequest(address)); first.Outcome != OK {
				t.Fatalf("first request: %s (%s)", first.Outcome, first.Detail)
			}
			got := client.Do(context.Background(), streamRequest(address))
			expectResult(t, got, tt.want, tt.facts)
		})
	}
}

func TestAResetIsOneWhereverInTheResponseItComes(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
	for _, tt := range []struct{ name, sent, facts string }{
		{"in the status line", "HTTP/1.1 20", ""},
		{"after the status", "HTTP/1.1 200 O", ""},
		{"in the name of a header", "HTTP/1.1 200 OK\r\nContent-Ty", ""},
		{"in the value of a header", "HTTP/1.1 200 OK\r\nContent-Type: te", ""},
		{"after the headers' last line end", head, ""},
		{"in an interim response", "HTTP/1.1 102 Proc", ""},
		{"in the size of an HTTP chunk", head + "\r\n1", ""},
		{"after an HTTP chunk", head + "\r\n" + frame(token("a")), "chunks=1+0 tokens=1:chunks ttft"},
		{"before the trailer", head + "\r\n" + frame(token("a")+done) + "0\r\n", "chunks=1+0 tokens=1:chunks ttft done"},
		{"in the trailer", head + "\r\n" + frame(token("a")+done) + "0\r\nX-Check", "chunks=1+0 tokens=1:chunks ttft done"},
		{"after the trailer", head + "\r\n" + frame(token("a")+done) + "0\r\nX-Check: 1\r\n", "chunks=1+0 tokens=1:chunks ttft done"},
	} {
		inVirtualTime(t, tt.name, func(t *testing.T) {
			got := ask(t, []step{send(tt.sent), rst})
			if got.Outcome != Reset || summary(got) != tt.facts {
				t.Errorf("got %s [%s] (%s), want %s [%s]", got.Outcome, summary(got), got.Detail, Reset, tt.facts)
			}
		})
	}
}
