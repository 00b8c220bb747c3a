// Package parentpipe ends this process when its parent has ended, so that no load continues without it.
package parentpipe

import (
	"bufio"
	"io"
	"os"
	"sync"
	"time"

	"assay.dev/k6/route"
)

// Variable is the environment variable that is 1 when standard input is a pipe which the parent keeps open, and telling when
// its first line tells how the target is reached.
const (
	Variable = "ASSAY_PARENT_PIPE"
	telling  = "telling"
)

// Patience is how long the process may take to end normally: a submission in flight is waited for, and video tasks are
// cancelled.
const Patience = 20 * time.Second

// Watch reads pipe until it closes, then calls interrupt, and kill after patience or when interrupt fails. It returns
// only after that.
func Watch(pipe io.Reader, patience time.Duration, interrupt func() error, kill func()) {
	_, _ = io.Copy(io.Discard, pipe)
	if err := interrupt(); err == nil {
		time.Sleep(patience)
	}
	kill()
}

// WatchStdin watches standard input in the background if the environment says so, after it has read there what run is told. The
// log of this process goes to the parent too: without a reader, a write to it must not end the process before its tasks are
// cancelled.
func WatchStdin(run interface {
	BeTold(func() (*route.Told, error))
}) {
	mode := os.Getenv(Variable)
	if mode != "1" && mode != telling {
		return
	}
	ignoreLostOutput()
	pipe, told := bufio.NewReader(os.Stdin), func() (*route.Told, error) { return nil, nil }
	if mode == telling {
		told = sync.OnceValues(func() (*route.Told, error) { return route.Read(pipe) })
		run.BeTold(told)
	}
	go func() {
		_, _ = told()
		Watch(pipe, Patience, interruptSelf, func() { os.Exit(1) })
	}()
}

func interruptSelf() error {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	return self.Signal(os.Interrupt)
}
