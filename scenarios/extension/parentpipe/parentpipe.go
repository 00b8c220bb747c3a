// Package parentpipe ends the process when the one that started it is gone, so that no load runs unwatched.
package parentpipe

import (
	"io"
	"os"
	"time"
)

// Variable is the environment variable that says, with 1, that standard input is a pipe which the parent holds open.
const Variable = "ASSAY_PARENT_PIPE"

// Patience is how long the process may take to end in good order.
const Patience = 10 * time.Second

// Watch reads pipe until it closes, then calls interrupt, and kill after patience or when interrupt fails. It returns
// only after that.
func Watch(pipe io.Reader, patience time.Duration, interrupt func() error, kill func()) {
	_, _ = io.Copy(io.Discard, pipe)
	if err := interrupt(); err == nil {
		time.Sleep(patience)
	}
	kill()
}

// WatchStdin watches standard input in the background if the environment asks for it.
func WatchStdin() {
	if os.Getenv(Variable) != "1" {
		return
	}
	go Watch(os.Stdin, Patience, interruptSelf, func() { os.Exit(1) })
}

func interruptSelf() error {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	return self.Signal(os.Interrupt)
}
