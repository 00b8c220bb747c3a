//go:build !linux

package health

import "time"

func newMetronome(period time.Duration) metronome { return newTimer(period) }
