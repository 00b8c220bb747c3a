package httpstream

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"reflect"
	"sync"
	"sync/atomic"
	"syscall"
)

// Transport returns a copy of base that counts its connections in network. It trusts roots in addition to the certificates
// that base trusts; nil roots change nothing. Its connections keep how they ended.
func Transport(base *http.Transport, roots *x509.CertPool, network *Network) *http.Transport {
	transport := base.Clone()
	dial := base.DialContext
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	transport.DialContext = func(ctx context.Context, protocol, address string) (net.Conn, error) {
		conn, err := dial(ctx, protocol, address)
		if err != nil {
			return nil, err
		}
		network.Opened.Add(1)
		own := &watched{Conn: conn, socket: socketOf(conn), address: conn.RemoteAddr().String(), network: network}
		own.ask = own.askTCP
		own.look() // what it took to open it is not lost by a request: the other side may take no more connections
		return own, nil
	}
	transport.MaxResponseHeaderBytes = maxHeader
	if roots != nil {
		if transport.TLSClientConfig == nil {
			transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
		}
		transport.TLSClientConfig.RootCAs = roots
	}
	return transport
}

// watched is a connection that keeps what distinguishes a response that ended early, a reset, and bytes that are not HTTP:
// net/http calls all of them malformed.
type watched struct {
	net.Conn
	socket  syscall.RawConn // nil where it is not known
	address string          // that it leads to
	begun   atomic.Bool     // a byte was received since the request got this connection
	notHTTP atomic.Bool     // the first bytes of the response are not those of HTTP/1
	ended   atomic.Bool     // the target closed it
	reset   atomic.Bool     // the target reset it
	failed  atomic.Value    // the [ClientFault] that broke it
	full    atomic.Bool     // the last read filled its buffer, so that more may have been there already
	arrived atomic.Int64

	network *Network
	ask     func(socket uintptr)
	lost    atomic.Uint32 // packets that came out of order, or were sent again, until the last look
	looking sync.Mutex
	counts  connCounts // until the last look
}

// socketOf returns the socket of a connection, also of one within a struct, such as those that k6 counts bytes with; nil for none.
func socketOf(conn net.Conn) syscall.RawConn {
	for range 4 {
		if own, ok := conn.(syscall.Conn); ok {
			socket, _ := own.SyscallConn()
			return socket
		}
		wrapper := reflect.Indirect(reflect.ValueOf(conn))
		if wrapper.Kind() != reflect.Struct {
			return nil
		}
		inner := wrapper.FieldByName("Conn")
		if !inner.IsValid() || !inner.CanInterface() {
			return nil
		}
		var ok bool
		if conn, ok = inner.Interface().(net.Conn); !ok {
			return nil
		}
	}
	return nil
}

// arrivals counts the reads of the connection, without those that only took the rest of what had been there before.
func (w *watched) arrivals() int64 { return w.arrived.Load() }

func (w *watched) Read(buffer []byte) (int, error) {
	n, err := w.Conn.Read(buffer)
	if !w.full.Swap(n == len(buffer)) {
		w.arrived.Add(1)
	}
	if n > 0 && !w.begun.Swap(true) {
		const start = "HTTP/"
		w.notHTTP.Store(!bytes.HasPrefix([]byte(start), buffer[:min(n, len(start))]))
	}
	w.remember(err)
	return n, err
}

func (w *watched) Write(data []byte) (int, error) {
	n, err := w.Conn.Write(data)
	w.remember(err)
	return n, err
}

// remember keeps how the connection ended, which net/http replaces with its own error when it can still parse something.
func (w *watched) remember(err error) {
	switch {
	case err == io.EOF:
		w.ended.Store(true)
	case errors.Is(err, syscall.ECONNRESET):
		w.reset.Store(true)
	case err != nil:
		if fault := clientFault(err, true); fault != "" {
			w.failed.Store(fault)
		}
	}
}

// unwrap finds the watched connection below a TLS one; nil when there is none.
func unwrap(conn net.Conn) *watched {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	w, _ := conn.(*watched)
	return w
}
