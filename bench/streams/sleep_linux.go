package main

import (
	"syscall"
	"time"
)

// rest sleeps precisely; a Go timer wakes in whole milliseconds.
func rest(d time.Duration) {
	spec := syscall.NsecToTimespec(d.Nanoseconds())
	_ = syscall.Nanosleep(&spec, nil)
}
