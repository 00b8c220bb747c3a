//go:build unix

package httpstream

import (
	"net"
	"syscall"
)

// isSilent reports whether a connection between two requests is open and has nothing to read: a target may have closed it.
func isSilent(conn net.Conn) bool {
	own, ok := conn.(*watched)
	if !ok || own.socket == nil {
		return true
	}
	silent := false
	err := own.socket.Read(func(fd uintptr) bool {
		var next [1]byte
		_, _, err := syscall.Recvfrom(int(fd), next[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		silent = err == syscall.EAGAIN
		return true
	})
	return err == nil && silent
}
