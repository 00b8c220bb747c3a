package pacer

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// timerFD is an alarm that wakes within about 0.05 ms, where a Go timer wakes in whole milliseconds.
type timerFD struct {
	fd   int
	file *os.File
}

func newAlarm() alarm {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return newTimerAlarm()
	}
	return &timerFD{fd, os.NewFile(uintptr(fd), "timerfd")}
}

func (t *timerFD) wait(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(d.Nanoseconds())}
	if err := unix.TimerfdSettime(t.fd, 0, &spec, nil); err != nil {
		return false
	}
	var expirations [8]byte
	_, err := t.file.Read(expirations[:])
	return err == nil
}

// stop ends a wait: closing the file wakes its reader.
func (t *timerFD) stop() { _ = t.file.Close() }
