package main

import (
	"syscall"
	"time"
)

// sleep is more precise than time.Sleep: a Go timer wakes in whole milliseconds.
func sleep(d time.Duration) {
	spec := syscall.NsecToTimespec(d.Nanoseconds())
	_ = syscall.Nanosleep(&spec, nil)
}
