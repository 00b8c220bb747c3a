package httpstream

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// secureServer serves HTTP/2 and HTTP/1 over TLS, on connections in memory.
func secureServer(t *testing.T, http2 bool, handler http.HandlerFunc, change ...func(*http.Server)) (*httptest.Server, *url.URL) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	_ = server.Listener.Close()
	server.Listener = newAcceptor(t)
	server.EnableHTTP2 = http2
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	for _, apply := range change {
		apply(server.Config)
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return server, address
}

// trusting returns a client that trusts a server's certificate besides nothing else.
func trusting(t *testing.T, server *httptest.Server) (*Client, *atomic.Int64) {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	opened := new(Network)
	named := &tls.Config{ServerName: "example.com", MinVersion: tls.VersionTLS12} // one of the names in the certificate
	transport := Transport(&http.Transport{ForceAttemptHTTP2: true, DialContext: dial, TLSClientConfig: named}, roots, opened)
	t.Cleanup(transport.CloseIdleConnections)
	return NewClient(transport), &opened.Opened
}

func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }

func TestHTTP2(t *testing.T) {
	events := func(w http.ResponseWriter, text string) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, text)
		flush(w)
	}
	for _, tt := range []struct {
		name   string
		answer func(http.ResponseWriter, *http.Request)
		want   Outcome
		facts  string
	}{
		{"a stream", func(w http.ResponseWriter, _ *http.Request) {
			events(w, token("a"))
			time.Sleep(gap)
			events(w, token("b")+done)
		}, OK, "chunks=2+0 tokens=2:chunks ttft done"},
		{"reset before the answer", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, Reset, ""},
		{"reset within the stream", func(w http.ResponseWriter, _ *http.Request) {
			events(w, token("a"))
			time.Sleep(gap)
			panic(http.ErrAbortHandler)
		}, Reset, "chunks=1+0 tokens=1:chunks ttft"},
		{"silence", func(w http.ResponseWriter, r *http.Request) {
			events(w, token("a"))
			<-r.Context().Done()
		}, Stalled, "chunks=1+0 tokens=1:chunks ttft"},
		{"status 500", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, HTTPError, "500"},
		{"told to leave", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Connection", "close") // sends GOAWAY
			events(w, token("a")+done)
		}, OK, "chunks=1+0 tokens=1:chunks ttft done"},
	} {
		inVirtualTime(t, tt.name, func(t *testing.T) {
			server, address := secureServer(t, true, tt.answer)
			client, _ := trusting(t, server)
			for range 2 { // on a fresh connection, and on the same one or the one after it
				request := streamRequest(address)
				request.Limits.Stall = 200 * time.Millisecond
				got := client.Do(context.Background(), request)
				expectResult(t, got, tt.want, tt.facts)
				if got.Status != 0 && got.Proto != "HTTP/2.0" {
					t.Errorf("protocol %q, want HTTP/2.0", got.Proto)
				}
			}
		})
	}
}

func TestHTTP2ConnectionThatIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, address := secureServer(t, true, nil)
		server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, token("a"))
			flush(w)
			time.Sleep(gap)
			go server.CloseClientConnections()
			<-r.Context().Done()
		})
		client, _ := trusting(t, server)
		got := client.Do(context.Background(), streamRequest(address))
		if got.Outcome != Truncated && got.Outcome != Reset {
			t.Errorf("got %s (%s), want truncated or reset", got.Outcome, got.Detail)
		}
	})
}

func TestTLS(t *testing.T) {
	answer := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprint(w, token("a")+done)
	}
	server, address := secureServer(t, false, answer)
	clear := httptest.NewServer(http.HandlerFunc(answer))
	t.Cleanup(clear.Close)
	plain := &url.URL{Scheme: "https", Host: clear.Listener.Addr().String(), Path: "/"}

	trusted, _ := trusting(t, server)
	if got := trusted.Do(context.Background(), streamRequest(address)); got.Outcome != OK {
		t.Errorf("trusted certificate: got %s (%s), want ok", got.Outcome, got.Detail)
	}
	untrusting, _ := newTestClient(t)
	for name, target := range map[string]*url.URL{"unknown authority": address, "no TLS": plain} {
		if got := untrusting.Do(context.Background(), streamRequest(target)); got.Outcome != TLS {
			t.Errorf("%s: got %s (%s), want tls", name, got.Outcome, got.Detail)
		}
	}
}

func TestConnectionLostInTheTLSHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for want, script := range map[Outcome]step{Truncated: fin, Reset: rst} {
			address := listen(t, func(conn remote) {
				hello := make([]byte, 1<<14)
				_, _ = conn.Read(hello)
				script(conn)
				_ = conn.Close()
			})
			client, _ := newTestClient(t)
			got := client.Do(context.Background(), streamRequest(&url.URL{Scheme: "https", Host: address, Path: "/"}))
			if got.Outcome != want {
				t.Errorf("got %s (%s), want %s", got.Outcome, got.Detail, want)
			}
		}
	})
}

func TestTransportKeepsTheSettingsOfItsBase(t *testing.T) {
	base := &http.Transport{TLSClientConfig: &tls.Config{ServerName: "example.test"}, MaxIdleConnsPerHost: 3}
	roots := x509.NewCertPool()
	got := Transport(base, roots, new(Network))
	if got.TLSClientConfig.ServerName != "example.test" || got.MaxIdleConnsPerHost != 3 || got.TLSClientConfig.RootCAs != roots {
		t.Errorf("the copy lost settings: %+v", got)
	}
	if base.TLSClientConfig.RootCAs != nil {
		t.Error("the base was changed")
	}
}

func TestPingsOfTheConnectionAreNoDataOfTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, address := secureServer(t, true, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, token("a"))
			flush(w)
			<-r.Context().Done()
		}, func(config *http.Server) { config.HTTP2 = &http.HTTP2Config{SendPingTimeout: short / 10} })
		client, _ := trusting(t, server)
		request := streamRequest(address)
		request.Limits = Limits{Stall: short, Timeout: 50 * short}
		if got := client.Do(context.Background(), request); got.Outcome != Stalled || got.Proto != "HTTP/2.0" {
			t.Errorf("got %s (%s) over %s, want %s", got.Outcome, got.Detail, got.Proto, Stalled)
		}
	})
}

func TestANewConnectionTellsItsAddressAndItsPhases(t *testing.T) {
	for _, isSecure := range []bool{false, true} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }))
		start, trust := server.Start, func() *x509.CertPool { return nil }
		if isSecure {
			start, trust = server.StartTLS, func() *x509.CertPool {
				roots := x509.NewCertPool()
				roots.AddCert(server.Certificate())
				return roots
			}
		}
		start()
		address, _ := url.Parse(server.URL)
		transport := Transport(&http.Transport{DialContext: new(net.Dialer).DialContext}, trust(), new(Network))
		client := NewClient(transport)
		for _, kind := range []string{"new", "used", "refused"} {
			if kind == "refused" {
				server.Close()
				transport.CloseIdleConnections()
			}
			got := client.Do(context.Background(), &Request{Sent: time.Now(), Method: http.MethodGet, URL: address, Header: http.Header{}, Status: 200, Items: Unknown})
			isNew := kind == "new"
			if got.Address != address.Host || got.Reused != (kind == "used") || got.Connect > 0 != isNew || got.TLS > 0 != (isNew && isSecure) ||
				got.Lookup+got.Connect+got.TLS > got.E2E {
				t.Errorf("%s, %v: %s (%s), address %q, look-up %v, connect %v, TLS %v of %v", kind, isSecure, got.Outcome, got.Detail, got.Address, got.Lookup, got.Connect, got.TLS, got.E2E)
			}
		}
	}
}
