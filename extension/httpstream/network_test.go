//go:build linux

package httpstream

import (
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// listening is the address of a server that streams, over the network.
func listening(t *testing.T) *url.URL {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, token("a")+done)
	}))
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// tells makes TCP tell these counts of a connection from now on.
func (w *watched) tells(counts connCounts) {
	w.looking.Lock()
	defer w.looking.Unlock()
	w.ask = func(uintptr) { w.counted(counts, 250) }
}

func TestTheKernelTellsOfConnections(t *testing.T) {
	network := new(Network)
	client := NewClient(Transport(&http.Transport{DialContext: dial}, nil, network))
	address := listening(t)
	for range 3 {
		if got := client.Do(t.Context(), streamRequest(address)); got.Outcome != OK || slices.Contains(got.Flags, FlagPacketLoss) {
			t.Fatalf("%s (%s), flags %v", got.Outcome, got.Detail, got.Flags)
		}
	}
	if network.Packets.Load() < 3 || network.OutOfOrder.Load() != 0 || network.RoundTrip() <= 0 {
		t.Errorf("%d packets, %d out of order, a round trip of %v", network.Packets.Load(), network.OutOfOrder.Load(), network.RoundTrip())
	}
}

func TestTheKernelTellsOfConnectionsBelowTLS(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "{}")
		}))
		server.EnableHTTP2 = http2
		server.StartTLS()
		defer server.Close()
		roots, network := x509.NewCertPool(), new(Network)
		roots.AddCert(server.Certificate())
		transport := Transport(&http.Transport{ForceAttemptHTTP2: http2}, roots, network)
		defer transport.CloseIdleConnections()
		address, err := url.Parse(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		client := NewClient(transport)
		for k := range 2 {
			before := network.Packets.Load()
			got := client.Do(t.Context(), &Request{Sent: time.Now(), Method: http.MethodGet, URL: address, Header: http.Header{}, Status: http.StatusOK, Items: Unknown})
			if got.Outcome != OK || len(got.Flags) > 0 || network.Packets.Load() == before {
				t.Errorf("http2 %v, request %d: %s (%s), flags %v, %d packets", http2, k, got.Outcome, got.Detail, got.Flags, network.Packets.Load())
			}
		}
	}
}

func TestLostPacketsFlagTheRequestsThatWaitedForThem(t *testing.T) {
	network := new(Network)
	client := NewClient(Transport(&http.Transport{DialContext: dial}, nil, network))
	address := listening(t)
	base := connCounts{packets: 1_000}
	for _, tt := range []struct {
		name string
		now  connCounts
		want bool
	}{
		{"none is lost", base, false},
		{"a packet comes out of order", connCounts{1_003, 1, 0}, true},
		{"nothing more is lost", connCounts{1_004, 1, 0}, false},
		{"a packet is sent again", connCounts{1_005, 1, 2}, true},
		{"the other side tells that it had it", connCounts{1_006, 1, 1}, false},
	} {
		if client.direct.conn == nil {
			client.Do(t.Context(), streamRequest(address))
		}
		unwrap(client.direct.conn).tells(tt.now)
		got := client.Do(t.Context(), streamRequest(address))
		if flagged := slices.Contains(got.Flags, FlagPacketLoss); got.Outcome != OK || flagged != tt.want {
			t.Errorf("%s: %s, flags %v", tt.name, got.Outcome, got.Flags)
		}
	}
	if network.OutOfOrder.Load() != 1 || network.SentAgain.Load() != 1 || network.Packets.Load() != 1_006 {
		t.Errorf("%d of %d packets out of order, %d sent again", network.OutOfOrder.Load(), network.Packets.Load(), network.SentAgain.Load())
	}
}

func TestAPacketThatHadArrivedWasNotLost(t *testing.T) {
	for _, tt := range []struct{ again, needless, want uint32 }{{0, 0, 0}, {3, 0, 3}, {3, 1, 2}, {3, 3, 0}, {0, 1, 0}} {
		got := countsOf(&unix.TCPInfo{Total_retrans: tt.again, Dsack_dups: tt.needless})
		if got.sentAgain != tt.want {
			t.Errorf("%+v: %d sent again", tt, got.sentAgain)
		}
	}
}

func TestWhatAConnectionLostBeforeARequestIsNotIts(t *testing.T) {
	network := new(Network)
	transport := Transport(&http.Transport{DialContext: dial}, nil, network)
	for _, tt := range []struct{ reused, opening, want bool }{{true, false, false}, {false, false, true}, {false, true, false}} {
		conn, err := transport.DialContext(t.Context(), "tcp", listening(t).Host)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if network.RoundTrip() <= 0 {
			t.Error("what TCP counted while the connection was opened is not known")
		}
		unwrap(conn).tells(connCounts{packets: 100, outOfOrder: 5})
		if tt.opening {
			unwrap(conn).look()
		}
		asked, result := &trace{}, newResult(time.Now())
		asked.hooks().GotConn(httptrace.GotConnInfo{Conn: conn, Reused: tt.reused})
		asked.flagLoss(result)
		// A request waits for what the TLS handshake of a new one loses.
		if flagged := slices.Contains(result.Flags, FlagPacketLoss); flagged != tt.want {
			t.Errorf("%+v: flags %v", tt, result.Flags)
		}
	}
}
