package httpstream

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"sync/atomic"
	"time"
)

// trace collects what net/http reports while it sends a request once; its hooks run in several goroutines.
type trace struct {
	conn       atomic.Pointer[watched]
	conns      atomic.Int32  // connections that the request got
	reused     atomic.Bool   // the last of them had served a request before
	lost       atomic.Uint32 // packets that it had lost before
	tlsStarted atomic.Bool
	dialed     atomic.Bool // a connection to an address was begun: the name of the host was resolved
	answered   atomic.Bool // a byte of a response was received on the last of them

	from time.Time // when the sending began; set before the hooks
	// When the first connection was begun, and its handshake, and when it could be used, from then on; 0 before.
	dialedAt, tlsAt, gotAt atomic.Int64
}

// mark keeps when something happened first.
func (t *trace) mark(at *atomic.Int64) {
	if at.Load() == 0 {
		at.CompareAndSwap(0, int64(time.Since(t.from)))
	}
}

// phases tells a result how the connection came to be, where it was a new one, and its address, or that which refused it.
func (t *trace) phases(result *Result, err error) {
	if conn := t.conn.Load(); conn != nil {
		result.Address = conn.address
	} else if to := (*net.OpError)(nil); errors.As(err, &to) && to.Addr != nil {
		result.Address = to.Addr.String()
	}
	dialed, secured, got := t.dialedAt.Load(), t.tlsAt.Load(), t.gotAt.Load()
	if dialed == 0 || got == 0 || t.reused.Load() {
		return
	}
	result.Lookup, result.Connect = time.Duration(dialed), time.Duration(got-dialed)
	if secured > dialed {
		result.Connect, result.TLS = time.Duration(secured-dialed), time.Duration(got-secured)
	}
}

// hooks returns the callbacks. Got1xxResponse is set because net/http otherwise limits the number of interim responses.
func (t *trace) hooks() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			if own := unwrap(info.Conn); own != nil && info.Reused {
				own.look() // others may share it
			}
			t.got(info.Conn, info.Reused)
		},
		ConnectStart:         func(string, string) { t.mark(&t.dialedAt); t.dialed.Store(true) },
		TLSHandshakeStart:    func() { t.mark(&t.tlsAt); t.tlsStarted.Store(true) },
		GotFirstResponseByte: func() { t.answered.Store(true) },
		Got1xxResponse:       func(int, textproto.MIMEHeader) error { return nil },
	}
}

// got notes the connection over which the request goes.
func (t *trace) got(conn net.Conn, reused bool) {
	if !reused {
		t.mark(&t.gotAt)
	}
	t.conns.Add(1)
	t.reused.Store(reused)
	t.answered.Store(false)
	if own := unwrap(conn); own != nil {
		own.begun.Store(false)
		t.lost.Store(own.lost.Load())
		t.conn.Store(own)
	}
}

func (t *trace) connected() bool   { return t.conns.Load() > 0 }
func (t *trace) handshaking() bool { return t.tlsStarted.Load() }

// resolving reports whether the request still waited for the address of its host.
func (t *trace) resolving() bool { return !t.connected() && !t.dialed.Load() }

// notHTTP reports whether the response did not begin like one of HTTP/1.
func (t *trace) notHTTP() bool {
	conn := t.conn.Load()
	return conn != nil && conn.notHTTP.Load()
}

// ended reports whether the target closed the connection.
func (t *trace) ended() bool {
	conn := t.conn.Load()
	return conn != nil && conn.ended.Load()
}

// clientFault returns what this machine lacked, whatever net/http made of it; empty when err is not of its making.
func (t *trace) clientFault(err error) ClientFault {
	if conn := t.conn.Load(); conn != nil {
		if fault, _ := conn.failed.Load().(ClientFault); fault != "" {
			return fault
		}
	}
	return clientFault(err, t.connected())
}

// reset reports whether the target reset the connection, whatever net/http made of it.
func (t *trace) reset() bool {
	conn := t.conn.Load()
	return conn != nil && conn.reset.Load()
}

// arrivals returns the counter of arrivals of a connection that serves no other request at the same time; else nil.
func (t *trace) arrivals(response *http.Response) func() int64 {
	conn := t.conn.Load()
	if conn == nil || response.ProtoMajor != 1 {
		return nil
	}
	return conn.arrivals
}

// flagLoss flags a response of which packets were lost or late since the request got its connection, as TCP of this machine saw it.
func (t *trace) flagLoss(result *Result) {
	if conn := t.conn.Load(); conn != nil {
		conn.look()
		if conn.lost.Load() > t.lost.Load() {
			result.flag(FlagPacketLoss)
		}
	}
}

// resent is how often net/http itself sent the request again; it does so only when a used connection failed.
func (t *trace) resent() int { return max(0, int(t.conns.Load())-1) }

// stale reports whether err means that a reused connection was closed before any byte of a response.
func (t *trace) stale(err error) bool {
	return t.conns.Load() == 1 && t.reused.Load() && !t.answered.Load() &&
		!isStreamReset(err.Error()) && (t.reset() || isEnd(err) || isReset(err))
}

// closeIdle makes the next request open a connection.
func closeIdle(rt http.RoundTripper) {
	if pool, ok := rt.(interface{ CloseIdleConnections() }); ok {
		pool.CloseIdleConnections()
	}
}
