package health

import (
	"encoding/binary"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// timerFD is a metronome whose ticks reach the reader through the network poller, as the bytes of a socket do.
type timerFD struct {
	file   *os.File
	period time.Duration
	due    time.Duration // of the next tick, on the system's monotonic clock
}

func newMetronome(period time.Duration) metronome {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return newTimer(period)
	}
	t := &timerFD{file: os.NewFile(uintptr(fd), "timerfd"), period: period, due: monotonic() + period}
	spec := unix.ItimerSpec{Interval: unix.NsecToTimespec(period.Nanoseconds()), Value: unix.NsecToTimespec(t.due.Nanoseconds())}
	if err := unix.TimerfdSettime(fd, unix.TFD_TIMER_ABSTIME, &spec, nil); err != nil {
		_ = t.file.Close()
		return newTimer(period)
	}
	return t
}

func (t *timerFD) next() (time.Duration, int, bool) {
	var expirations [8]byte
	if _, err := t.file.Read(expirations[:]); err != nil {
		return 0, 0, false
	}
	late := monotonic() - t.due
	ticks := binary.NativeEndian.Uint64(expirations[:])
	t.due += time.Duration(ticks) * t.period
	return late, int(ticks), true
}

// stop ends a wait: closing the file wakes its reader.
func (t *timerFD) stop() { _ = t.file.Close() }

// monotonic is the clock that the timer runs on.
func monotonic() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return 0
	}
	return time.Duration(now.Nano())
}
