package httpstream

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// askTCP takes what the kernel has counted of a socket. Like [unix.GetsockoptTCPInfo], without an allocation per request.
func (w *watched) askTCP(socket uintptr) {
	var info unix.TCPInfo
	length := uint32(unsafe.Sizeof(info))
	_, _, failed := unix.RawSyscall6(unix.SYS_GETSOCKOPT, socket, unix.IPPROTO_TCP, unix.TCP_INFO,
		uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&length)), 0)
	if failed == 0 {
		w.counted(connCounts{packets: info.Data_segs_in, outOfOrder: info.Rcv_ooopack, sentAgain: info.Total_retrans}, info.Min_rtt)
	}
}
