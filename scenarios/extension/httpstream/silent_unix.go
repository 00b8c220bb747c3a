//go:build unix

package httpstream

import (
	"net"
	"syscall"
)

// isSilent reports whether a connection between two requests is open and has nothing to read: a target may have closed it.
func isSilent(conn net.Conn) bool {
	if own, ok := conn.(*watched); ok {
		conn = own.Conn
	}
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	silent := false
	err = raw.Read(func(fd uintptr) bool {
		var next [1]byte
		_, _, err := syscall.Recvfrom(int(fd), next[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		silent = err == syscall.EAGAIN
		return true
	})
	return err == nil && silent
}
