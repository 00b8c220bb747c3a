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
		w.counted(countsOf(&info), info.Min_rtt)
	}
}

// countsOf leaves out the packets that were sent again although the other side had them, as it then tells (RFC 2883, RFC 8985, 7.3):
// it may confirm later than TCP expects.
func countsOf(info *unix.TCPInfo) connCounts {
	needless := min(info.Dsack_dups, info.Total_retrans)
	return connCounts{packets: info.Data_segs_in, outOfOrder: info.Rcv_ooopack, sentAgain: info.Total_retrans - needless}
}
