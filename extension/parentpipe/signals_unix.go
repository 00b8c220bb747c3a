//go:build unix

package parentpipe

import (
	"os/signal"
	"syscall"
)

// ignoreLostOutput makes a write to a closed pipe, or beyond the size that a file may have, an error of that write only.
func ignoreLostOutput() { signal.Ignore(syscall.SIGPIPE, syscall.SIGXFSZ) }
