package alarm

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// timerFD is an Alarm that wakes within about 0.05 ms, where a Go timer wakes in whole milliseconds. Its expirations
// reach the reader through the network poller, as the bytes of a socket do.
type timerFD struct {
	file *os.File
	conn syscall.RawConn
}

// New returns the most exact Alarm of this system.
func New() Alarm {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return NewTimer()
	}
	file := os.NewFile(uintptr(fd), "timerfd")
	conn, err := file.SyscallConn()
	if err != nil {
		_ = file.Close()
		return NewTimer()
	}
	return &timerFD{file, conn}
}

// once expires a single time, after d.
func once(d time.Duration) unix.ItimerSpec {
	return unix.ItimerSpec{Value: unix.NsecToTimespec(d.Nanoseconds())}
}

func (t *timerFD) Wait(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	// Through conn, because the number of a closed file may belong to another one already.
	var failed error
	err := t.conn.Control(func(fd uintptr) {
		spec := once(d)
		failed = unix.TimerfdSettime(int(fd), 0, &spec, nil)
	})
	if err != nil || failed != nil {
		return false
	}
	var expirations [8]byte
	_, err = t.file.Read(expirations[:])
	return err == nil
}

// Stop ends a wait: closing the file wakes its reader.
func (t *timerFD) Stop() { _ = t.file.Close() }
