package httpstream

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
)

// counting is a server over TLS that counts its connections.
func counting(t *testing.T, http2 bool) (server *httptest.Server, opened *atomic.Int64) {
	t.Helper()
	opened = &atomic.Int64{}
	server = httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.EnableHTTP2 = http2
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server, opened
}

// sendTogether sends requests that find no connection at the same time.
func sendTogether(t *testing.T, transport http.RoundTripper, url string) {
	t.Helper()
	var under sync.WaitGroup
	for range 30 {
		under.Go(func() {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
			if err != nil {
				t.Error(err)
				return
			}
			response, err := transport.RoundTrip(request)
			if err != nil {
				t.Error(err)
				return
			}
			_ = response.Body.Close()
		})
	}
	under.Wait()
}

func TestRequestsShareOneConnectionOfHTTP2AlsoAfterTheTargetClosedTheLast(t *testing.T) {
	server, opened := counting(t, true)
	transport := Multiplex(&http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true})
	for round := range int64(5) {
		sendTogether(t, transport, server.URL)
		if got := opened.Load(); got != round+1 {
			t.Fatalf("%d connections after round %d, want one in each", got, round)
		}
		server.CloseClientConnections()
		closeIdle(transport)
	}
}

func TestRequestsOfHTTP1DoNotWaitForEachOther(t *testing.T) {
	server, _ := counting(t, false)
	transport, ok := Multiplex(&http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}).(*Multiplexed)
	if !ok {
		t.Fatal("it is another transport")
	}
	sendTogether(t, transport, server.URL)
	if !transport.single.Load() {
		t.Error("a request waits while another one gets a connection")
	}
}
