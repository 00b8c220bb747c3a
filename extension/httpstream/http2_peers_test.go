package httpstream

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// peer is an HTTP/2 connection from the side of a target that does not keep to the protocol.
type peer struct {
	*http2.Framer
	conn net.Conn
}

// answer sends the header of a response to the first request; more announces that a body follows.
func (p *peer) answer(media string, more bool) {
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	_ = encoder.WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
	_ = encoder.WriteField(hpack.HeaderField{Name: "content-type", Value: media})
	_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(), EndHeaders: true, EndStream: !more})
}

// awaitRequest reads frames until the header of a request.
func (p *peer) awaitRequest() {
	for {
		frame, err := p.ReadFrame()
		if _, isHeaders := frame.(*http2.HeadersFrame); err != nil || isHeaders {
			return
		}
	}
}

// untilClosed writes until the client closes the connection, and reads nothing.
func untilClosed(write func() error) {
	for write() == nil {
	}
}

// servePeer serves every connection with act, after the handshake and the preface.
func servePeer(t *testing.T, act func(*peer)) (*Client, *url.URL) {
	t.Helper()
	certified := httptest.NewUnstartedServer(nil)
	certified.Config.ErrorLog = log.New(io.Discard, "", 0)
	certified.StartTLS()
	t.Cleanup(certified.Close)
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: certified.TLS.Certificates, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_ = conn.(*tls.Conn).NetConn().(*net.TCPConn).SetReadBuffer(4 << 10)
				preface := make([]byte, len(http2.ClientPreface))
				if _, err := io.ReadFull(conn, preface); err != nil {
					return
				}
				act(&peer{http2.NewFramer(conn, conn), conn})
			}()
		}
	}()
	roots := x509.NewCertPool()
	roots.AddCert(certified.Certificate())
	transport := Transport(&http.Transport{ForceAttemptHTTP2: true}, roots, new(Network))
	t.Cleanup(transport.CloseIdleConnections)
	return NewClient(transport), &url.URL{Scheme: "https", Host: listener.Addr().String(), Path: "/v1/chat/completions"}
}

// peers are targets that keep the client from reading or writing.
var peers = map[string]func(*peer){
	"floods settings and reads no acknowledgement, before its answer": func(p *peer) {
		_ = p.WriteSettings()
		p.awaitRequest()
		untilClosed(func() error { return p.WriteSettings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1 << 14}) })
	},
	"floods settings and reads no acknowledgement, within its answer": func(p *peer) {
		_ = p.WriteSettings()
		p.awaitRequest()
		p.answer("text/event-stream", true)
		untilClosed(func() error {
			if err := p.WriteSettings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1 << 14}); err != nil {
				return err
			}
			return p.WriteData(1, false, []byte(":\n"))
		})
	},
	"floods pings and reads no acknowledgement": func(p *peer) {
		_ = p.WriteSettings()
		p.awaitRequest()
		p.answer("text/event-stream", true)
		untilClosed(func() error { return p.WritePing(false, [8]byte{}) })
	},
	"sends data and then only settings, whose acknowledgements it does not read": func(p *peer) {
		_ = p.WriteSettings()
		p.awaitRequest()
		p.answer("text/event-stream", true)
		for range 32 {
			_ = p.WriteData(1, false, []byte(strings.Repeat(token("a"), 200)))
		}
		untilClosed(func() error { return p.WriteSettings() })
	},
	"has no window for the request": func(p *peer) {
		_ = p.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
		_, _ = io.Copy(io.Discard, p.conn)
	},
	"allows no stream": func(p *peer) {
		_ = p.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 0})
		_, _ = io.Copy(io.Discard, p.conn)
	},
	"sends no settings": func(p *peer) { _, _ = io.Copy(io.Discard, p.conn) },
	"stops within a frame": func(p *peer) {
		_ = p.WriteSettings()
		p.awaitRequest()
		p.answer("text/event-stream", true)
		_, _ = p.conn.Write([]byte{0, 1, 0, 0, 0, 0, 0, 0, 1, 'd', 'a'})
		_, _ = io.Copy(io.Discard, p.conn)
	},
	"never ends its headers": func(p *peer) {
		_ = p.WriteSettings()
		p.awaitRequest()
		_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1})
		untilClosed(func() error { return p.WriteContinuation(1, false, nil) })
	},
}

func TestNoHTTP2PeerHoldsARequestPastItsEnd(t *testing.T) {
	for name, act := range peers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, address := servePeer(t, act)
			for range 2 { // the second one must not wait for what the first one left
				request := streamRequest(address)
				request.Body = bytes.Repeat([]byte(" "), 200<<10)
				request.Limits = Limits{Timeout: 5 * short}
				// On a busy machine the library may give up the connection that a request left, before the end of the next one.
				got := client.Do(context.Background(), request)
				if got.Outcome != TimedOut && !strings.Contains(got.Detail, "cannot rewind body after connection loss") {
					t.Errorf("got %s (%s), want %s", got.Outcome, got.Detail, TimedOut)
				}
			}
		})
	}
}

// interrupting is a transport that calls a function when the body of a response is read first.
type interrupting struct {
	http.RoundTripper
	interrupt func()
}

func (i *interrupting) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := i.RoundTripper.RoundTrip(request)
	if err == nil {
		response.Body = &interruptedBody{ReadCloser: response.Body, interrupt: i.interrupt}
	}
	return response, err
}

type interruptedBody struct {
	io.ReadCloser
	once      sync.Once
	interrupt func()
}

func (b *interruptedBody) Read(buffer []byte) (int, error) {
	b.once.Do(b.interrupt)
	return b.ReadCloser.Read(buffer)
}

func TestAStallAndAnInterruptEndARequestWhosePeerBlocksTheClient(t *testing.T) {
	const name = "sends data and then only settings, whose acknowledgements it does not read"
	for _, tt := range []struct {
		limits    Limits
		interrupt bool // some time after the response began
		want      Outcome
	}{
		{Limits{Stall: 5 * short}, false, Stalled},
		{Limits{}, true, Cancelled},
	} {
		t.Run(string(tt.want), func(t *testing.T) {
			t.Parallel()
			client, address := servePeer(t, peers[name])
			ctx, cancel := context.WithCancel(context.Background())
			t.Cleanup(cancel)
			if tt.interrupt {
				client.transport = &interrupting{client.transport, func() { time.AfterFunc(5*short, cancel) }}
			}
			request := streamRequest(address)
			request.Limits = tt.limits
			got := client.Do(ctx, request)
			if got.Outcome != tt.want || got.Status != http.StatusOK || got.TTFB == NotMeasured {
				t.Errorf("got %s (%s) with status %d, want %s", got.Outcome, got.Detail, got.Status, tt.want)
			}
		})
	}
}

// stuck is a transport that does not return before the end of the test.
type stuck struct {
	calls atomic.Int32
	over  chan struct{}
}

func (s *stuck) RoundTrip(*http.Request) (*http.Response, error) {
	s.calls.Add(1)
	<-s.over
	return nil, net.ErrClosed
}

func TestARequestWhoseTransportNeverReturnsIsAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &stuck{over: make(chan struct{})}
		t.Cleanup(func() { close(transport.over) })
		client := NewClient(transport)
		for range 2 {
			request := streamRequest(&url.URL{Scheme: "http", Host: "127.0.0.1:1"})
			request.Limits = Limits{Timeout: short}
			got := client.Do(context.Background(), request)
			if got.Outcome != TimedOut || !strings.HasSuffix(got.Detail, "was abandoned.") || got.E2E != short+2*patience {
				t.Errorf("got %s (%s) after %v", got.Outcome, got.Detail, got.E2E)
			}
		}
		if calls := transport.calls.Load(); calls != 2 {
			t.Errorf("%d requests were sent, want 2", calls)
		}
	})
}
