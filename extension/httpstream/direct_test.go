package httpstream

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestARequestIsWrittenLikeThatOfNetHTTP(t *testing.T) {
	address, err := url.Parse("http://192.0.2.1:80/a%20b?c=d")
	if err != nil {
		t.Fatal(err)
	}
	for _, request := range []*Request{
		{Method: http.MethodPost, URL: address, Body: []byte("{}"), Header: http.Header{"X-B": {"1", "2"}, "Accept": {"a/b"}, "User-Agent": {"assay"}}},
		{Method: http.MethodPost, URL: address, Header: http.Header{"X-A": {""}}},
		{Method: http.MethodGet, URL: address, Header: http.Header{"Content-Length": {"9"}}},
	} {
		if request.Header["User-Agent"] == nil {
			request.Header["User-Agent"] = []string{"Go-http-client/1.1"}
		}
		var want strings.Builder
		if err := request.build(t.Context()).Write(&want); err != nil {
			t.Fatal(err)
		}
		written := append(appendHead(nil, request), request.Body...)
		got, err := http.ReadRequest(bufio.NewReader(strings.NewReader(string(written))))
		if err != nil {
			t.Fatal(err)
		}
		if same := strings.ToLower(string(written)) == strings.ToLower(want.String()); !same || got.Host != address.Host {
			t.Errorf("got\n%s\nwant\n%s", written, want.String())
		}
	}
}

func TestOnlyWhatIsUsualGoesOverADirectConnection(t *testing.T) {
	plain := &url.URL{Scheme: "http", Host: "192.0.2.1:80", Path: "/"}
	base := &http.Transport{DialContext: dial}
	proxied := base.Clone()
	proxied.Proxy = http.ProxyURL(plain)
	unproxied := base.Clone()
	unproxied.Proxy = func(*http.Request) (*url.URL, error) { return nil, nil }
	unclear := base.Clone()
	unclear.Proxy = func(*http.Request) (*url.URL, error) { return nil, errors.New("no") }
	single := base.Clone()
	single.DisableKeepAlives = true
	for _, tt := range []struct {
		name      string
		transport http.RoundTripper
		address   *url.URL
		header    http.Header
		want      bool
	}{
		{"plain", base, plain, nil, true},
		{"TLS", base, &url.URL{Scheme: "https", Host: "192.0.2.1:80"}, nil, false},
		{"a zone", base, &url.URL{Scheme: "http", Host: "[fe80::1%25eth0]:80"}, nil, false},
		{"a name that is to be encoded", base, &url.URL{Scheme: "http", Host: "bücher.example"}, nil, false},
		{"a proxy", proxied, plain, nil, false},
		{"no proxy for this address", unproxied, plain, nil, true},
		{"a proxy that cannot be read", unclear, plain, nil, false},
		{"a connection per request", single, plain, nil, false},
		{"a header that cannot be sent", base, plain, http.Header{"X-A": {"a\r\nb"}}, false},
		{"another transport", http.NewFileTransport(http.Dir(".")), plain, nil, false},
	} {
		if got := newDirect(tt.transport).takes(&Request{Method: http.MethodPost, URL: tt.address, Header: tt.header}); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// serveSockets answers each request over real connections, which it closes after so many.
func serveSockets(t *testing.T, most int) (address *url.URL, closed chan struct{}) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	closed = make(chan struct{}, 10)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				reader := bufio.NewReader(conn)
				for range most {
					request, err := http.ReadRequest(reader)
					if err != nil {
						break
					}
					_, _ = io.Copy(io.Discard, request.Body)
					_, _ = io.WriteString(conn, headSSE+frame(token("a")+done)+last)
				}
				_ = conn.Close()
				closed <- struct{}{}
			}()
		}
	}()
	return &url.URL{Scheme: "http", Host: listener.Addr().String(), Path: "/"}, closed
}

func TestAConnectionThatTheTargetClosedBetweenRequestsIsNotUsedAgain(t *testing.T) {
	address, closed := serveSockets(t, 2)
	// The connections of k6 are within a struct, too.
	base := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		return &struct{ net.Conn }{conn}, err
	}}
	opened := new(Network)
	client := NewClient(Transport(base, nil, opened))
	for k := range 4 {
		got := client.Do(t.Context(), streamRequest(address))
		if got.Outcome != OK || got.Resent != 0 || got.Reused != (k%2 == 1) {
			t.Errorf("request %d: %s (%s), resent %d, reused %v", k, got.Outcome, got.Detail, got.Resent, got.Reused)
		}
		if k%2 == 1 {
			<-closed
			for !isClosed(client) { // the end is on its way over the loopback interface
			}
		}
	}
	if n := opened.Opened.Load(); n != 2 {
		t.Errorf("%d connections were opened, want 2", n)
	}
}

func isClosed(client *Client) bool { return !isSilent(client.direct.conn) }

func TestALongRequestMayBeAnsweredBeforeItIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		address := listen(t, func(conn remote) {
			if _, err := conn.Read(make([]byte, 1<<10)); err != nil {
				return
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
			time.Sleep(time.Hour)
		})
		client, opened := newTestClient(t)
		request := streamRequest(&url.URL{Scheme: "http", Host: address, Path: "/"})
		request.Body = make([]byte, 2*mostAtOnce)
		for range 2 {
			if got := client.Do(context.Background(), request); got.Status != http.StatusRequestEntityTooLarge || got.Reused {
				t.Errorf("got %s (%s), status %d, reused %v", got.Outcome, got.Detail, got.Status, got.Reused)
			}
		}
		if opened.Load() != 2 {
			t.Errorf("%d connections were opened, want one per request: the first is not read to its end", opened.Load())
		}
	})
}

func TestANameThatIsNotResolvedDoesNotHoldARequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		var late atomic.Bool
		base := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			<-stuck // like a resolver that knows no context
			own, other := net.Pipe()
			go func() {
				_, err := other.Read(make([]byte, 1))
				late.Store(err == io.EOF)
			}()
			return own, nil
		}}
		request := streamRequest(&url.URL{Scheme: "http", Host: "name.invalid", Path: "/"})
		request.Limits = Limits{Timeout: short}
		got := NewClient(Transport(base, nil, new(Network))).Do(context.Background(), request)
		if got.Outcome != ClientError || got.Fault != FaultName || got.E2E != short {
			t.Errorf("got %s (%s) after %v", got.Outcome, got.Detail, got.E2E)
		}
		close(stuck)
		synctest.Wait()
		if !late.Load() {
			t.Error("the connection that came too late was not closed")
		}
	})
}
