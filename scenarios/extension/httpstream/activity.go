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
	"sync/atomic"
	"syscall"
	"time"
)

// epoch is the origin of monotonic times, which [time.Since] gives.
var epoch = time.Now()

// Activity is notified of every byte that the connections of one client receive, also those that net/http reads by itself:
// headers, interim responses, frames of HTTP/2. It keeps the time of the last one.
type Activity struct {
	last   atomic.Int64 // nanoseconds since epoch
	opened *atomic.Int64
}

// NewActivity returns an Activity that counts the connections that are opened in opened.
func NewActivity(opened *atomic.Int64) *Activity {
	return &Activity{opened: opened}
}

// Transport returns a copy of base whose connections report to a, and which trusts roots besides the certificates that
// base trusts; nil roots change nothing.
func (a *Activity) Transport(base *http.Transport, roots *x509.CertPool) *http.Transport {
	transport := base.Clone()
	dial := base.DialContext
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		a.opened.Add(1)
		return &watched{Conn: conn, activity: a}, nil
	}
	if roots != nil {
		if transport.TLSClientConfig == nil {
			transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
		}
		transport.TLSClientConfig.RootCAs = roots
	}
	return transport
}

// touch records that a byte was received now.
func (a *Activity) touch() { a.last.Store(int64(time.Since(epoch))) }

// idle is the time since the last byte.
func (a *Activity) idle() time.Duration { return time.Since(epoch) - time.Duration(a.last.Load()) }

// watched is a connection that reports to an [Activity]. It also keeps what distinguishes a response that ended early from
// bytes that are not HTTP, because net/http calls both malformed.
type watched struct {
	net.Conn
	activity *Activity
	begun    atomic.Bool // a byte was received since the request got this connection
	notHTTP  atomic.Bool // the first bytes of the response are not those of HTTP/1
	ended    atomic.Bool // the target closed it
	reset    atomic.Bool // the target reset it
}

func (w *watched) Read(buffer []byte) (int, error) {
	n, err := w.Conn.Read(buffer)
	if n > 0 {
		w.activity.touch()
		if !w.begun.Swap(true) {
			const start = "HTTP/"
			w.notHTTP.Store(!bytes.HasPrefix([]byte(start), buffer[:min(n, len(start))]))
		}
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
