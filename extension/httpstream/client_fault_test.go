package httpstream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// dialError is what net returns for a connection that could not be opened.
func dialError(call string, number syscall.Errno) error {
	return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError(call, number)}
}

func TestWhatFailsOnThisMachineIsNotTheTargets(t *testing.T) {
	noHost := &net.DNSError{Err: "no such host", Name: "models.example", IsNotFound: true}
	misbehaving := &net.DNSError{Err: "server misbehaving", Name: "models.example", Server: "192.0.2.53:53"}
	noSocket := &net.DNSError{Err: "dial udp 192.0.2.53:53: socket: too many open files", Name: "models.example"}
	for _, tt := range []struct {
		name  string
		err   error
		want  Outcome
		fault ClientFault
	}{
		{"no descriptor of the process", dialError("socket", syscall.EMFILE), ClientError, FaultOpenFiles},
		{"no descriptor of the system", dialError("socket", syscall.ENFILE), ClientError, FaultOpenFiles},
		{"no source port", dialError("connect", syscall.EADDRNOTAVAIL), ClientError, FaultSourcePorts},
		{"no buffer", dialError("connect", syscall.ENOBUFS), ClientError, FaultMemory},
		{"no memory", dialError("socket", syscall.ENOMEM), ClientError, FaultMemory},
		{"no such host", noHost, ClientError, FaultName},
		{"no such host behind a proxy", fmt.Errorf("proxyconnect tcp: %w", noHost), ClientError, FaultName},
		{"no such host, as k6 says it", errors.New("lookup models.example: no such host"), ClientError, FaultName},
		{"server failure", misbehaving, ClientError, FaultName},
		{"no descriptor for the resolver", noSocket, ClientError, FaultOpenFiles},
		{"no route to the network", dialError("connect", syscall.ENETUNREACH), ClientError, FaultRoute},
		{"no route to the host", dialError("connect", syscall.EHOSTUNREACH), ClientError, FaultRoute},
		{"a route that prohibits", dialError("connect", syscall.EACCES), ClientError, FaultRoute},
		{"a route that drops", dialError("connect", syscall.EINVAL), ClientError, FaultRoute},
		{"a local firewall", dialError("connect", syscall.EPERM), ClientError, FaultRoute},
		{"refused", dialError("connect", syscall.ECONNREFUSED), Refused, ""},
		{"reset", dialError("connect", syscall.ECONNRESET), Reset, ""},
		{"no response to the connection", dialError("connect", syscall.ETIMEDOUT), Refused, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, tt.err }}
			client := NewClient(Transport(base, nil, new(Network)))
			for _, scheme := range []string{"http", "https"} {
				got := client.Do(context.Background(), streamRequest(&url.URL{Scheme: scheme, Host: "192.0.2.7:9", Path: "/"}))
				if got.Outcome != tt.want || got.Fault != tt.fault || got.Connected {
					t.Errorf("%s: got %s %s (%s), want %s %s", scheme, got.Outcome, got.Fault, got.Detail, tt.want, tt.fault)
				}
				if !strings.Contains(got.Detail, tt.err.Error()) {
					t.Errorf("%s: detail %q lacks the error", scheme, got.Detail)
				}
			}
		})
	}
}

// broken is a connection whose reads fail after the first.
type broken struct {
	net.Conn
	err   error
	reads int
}

func (b *broken) Read(data []byte) (int, error) {
	b.reads++
	if b.reads > 1 {
		return 0, b.err
	}
	return b.Conn.Read(data)
}

func TestAConnectionThatThisMachineLosesIsNotTheTargets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			number syscall.Errno
			want   Outcome
			fault  ClientFault
		}{
			{syscall.ENETUNREACH, ClientError, FaultRoute},
			{syscall.EHOSTUNREACH, ClientError, FaultRoute},
			{syscall.ENETDOWN, ClientError, FaultRoute},
			{syscall.ENOBUFS, ClientError, FaultMemory},
			{syscall.ETIMEDOUT, Truncated, ""},
			{syscall.ECONNRESET, Reset, ""},
		} {
			for _, sent := range []string{headSSE, "HTTP/1.1 2"} {
				failure := &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", tt.number)}
				base := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
					conn, err := dial(ctx, network, address)
					return &broken{Conn: conn, err: failure}, err
				}}
				transport := Transport(base, nil, new(Network))
				t.Cleanup(transport.CloseIdleConnections)
				address := serve(t, []step{send(sent), hold})
				got := NewClient(transport).Do(context.Background(), streamRequest(address))
				if want := tt.want; got.Fault != tt.fault || got.Outcome != want && (want != Truncated || got.Outcome != Malformed) { // cut in the status line
					t.Errorf("%v after %q: got %s %s (%s), want %s %s", tt.number, sent, got.Outcome, got.Fault, got.Detail, tt.want, tt.fault)
				}
			}
		}
	})
}

func TestANameThatIsNotResolvedInTimeIsNotTheTargets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := make(chan struct{})
		t.Cleanup(func() { close(over) })
		for _, tt := range []struct {
			host  string
			dials bool // the name was resolved, and the connection is waited for
			want  Outcome
			says  string
		}{
			{"models.example:80", false, ClientError, "it had no address"},
			{"models.example:80", true, TimedOut, "No connection was open after 50ms."},
			{"192.0.2.7:80", false, TimedOut, "No connection was open after 50ms."},
		} {
			base := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				if tt.dials {
					stuck := net.Dialer{ControlContext: func(context.Context, string, string, syscall.RawConn) error {
						<-over
						return net.ErrClosed
					}}
					return stuck.DialContext(ctx, network, "127.0.0.1:9")
				}
				<-over
				return nil, net.ErrClosed
			}}
			request := streamRequest(&url.URL{Scheme: "http", Host: tt.host, Path: "/"})
			request.Limits.Timeout = 50 * time.Millisecond
			got := NewClient(Transport(base, nil, new(Network))).Do(context.Background(), request)
			if got.Outcome != tt.want || !strings.Contains(got.Detail, tt.says) {
				t.Errorf("%s, dials %v: got %s (%s), want %s", tt.host, tt.dials, got.Outcome, got.Detail, tt.want)
			}
		}
	})
}
