package httpstream

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
)

// remote is the target's end of a connection. A [net.TCPConn] is one; so is what [listen] accepts.
type remote interface {
	net.Conn
	SetLinger(seconds int) error
}

var (
	// accepting are the functions that accept the connections to an address of [listen].
	accepting sync.Map
	// listened numbers these addresses.
	listened atomic.Int64
)

// listen serves connections that stay in memory: nothing on them takes time, what one write sends is what one read
// receives, and a write returns when it was read. So they work in the virtual time of synctest. They end with the test.
func listen(t *testing.T, accept func(remote)) (address string) {
	t.Helper()
	address = (&net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: int(listened.Add(1))}).String()
	var served sync.WaitGroup
	accepting.Store(address, func(conn remote) {
		t.Cleanup(func() { _ = conn.Close() })
		served.Go(func() { accept(conn) })
	})
	t.Cleanup(func() { accepting.Delete(address); served.Wait() })
	return address
}

// dial connects to what [listen] returned, and to every other address over the network.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	accept, ok := accepting.Load(address)
	if !ok {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
	own, other := net.Pipe()
	far := &farEnd{Conn: other}
	accept.(func(remote))(far)
	return &nearEnd{Conn: own, far: far}, nil
}

// farEnd is the target's end of a connection in memory; without lingering, its close is a reset.
type farEnd struct {
	net.Conn
	resets atomic.Bool
}

func (f *farEnd) SetLinger(seconds int) error { f.resets.Store(seconds == 0); return nil }

// nearEnd is the client's end. It fails like a socket.
type nearEnd struct {
	net.Conn
	far    *farEnd
	closed atomic.Bool
}

func (n *nearEnd) Read(buffer []byte) (int, error) {
	count, err := n.Conn.Read(buffer)
	return count, n.failure("read", io.EOF, err)
}

func (n *nearEnd) Write(data []byte) (int, error) {
	count, err := n.Conn.Write(data)
	return count, n.failure("write", &net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.EPIPE)}, err)
}

func (n *nearEnd) Close() error { n.closed.Store(true); return n.Conn.Close() }

// failure turns the error of a pipe into that of a socket; ended is what it is when the target closed the connection.
func (n *nearEnd) failure(call string, ended, err error) error {
	switch {
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe):
		return err
	case n.closed.Load():
		return &net.OpError{Op: call, Net: "tcp", Err: net.ErrClosed}
	case n.far.resets.Load():
		return &net.OpError{Op: call, Net: "tcp", Err: os.NewSyscallError(call, syscall.ECONNRESET)}
	}
	return ended
}

// inVirtualTime runs a subtest beside others, on a clock that moves only when everything waits.
func inVirtualTime(t *testing.T, name string, test func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, test)
	})
}

// acceptor is a [net.Listener] of connections in memory.
type acceptor struct {
	address  net.Addr
	accepted chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

func newAcceptor(t *testing.T) *acceptor {
	t.Helper()
	a := &acceptor{accepted: make(chan net.Conn), closed: make(chan struct{})}
	address, err := net.ResolveTCPAddr("tcp", listen(t, func(conn remote) {
		select {
		case a.accepted <- conn:
		case <-a.closed:
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	a.address = address
	return a
}

func (a *acceptor) Accept() (net.Conn, error) {
	select {
	case conn := <-a.accepted:
		return conn, nil
	case <-a.closed:
		return nil, net.ErrClosed
	}
}

func (a *acceptor) Close() error   { a.once.Do(func() { close(a.closed) }); return nil }
func (a *acceptor) Addr() net.Addr { return a.address }
