package httpstream

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

var (
	errStalled  = errors.New("stalled")
	errTimedOut = errors.New("timed out")
)

// watch applies the limits of a request: the total time, and the time without data within a stream.
type watch struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	limits  Limits
	sent    time.Time
	last    atomic.Int64 // when data of the stream was read last, in nanoseconds since sent; 0: none was
	silent  atomic.Bool  // time without data is no longer a stall
	stall   *time.Timer
	timeout *time.Timer
}

func startWatch(ctx context.Context, limits Limits, sent time.Time) *watch {
	w := &watch{limits: limits, sent: sent}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	if limits.Timeout > 0 {
		w.timeout = time.AfterFunc(limits.Timeout, func() { w.cancel(errTimedOut) })
	}
	if limits.Stall > 0 {
		w.stall = time.AfterFunc(limits.Stall, w.check)
	}
	return w
}

// data notes that bytes of a stream were read, so long after the request was sent; the first ones start the stall limit.
// Later ones do not touch the timer, which costs less per chunk.
func (w *watch) data(at time.Duration) {
	if w.last.Swap(max(int64(at), 1)) == 0 && w.stall != nil {
		w.stall.Reset(w.limits.Stall)
	}
}

// check runs when the stall limit may have passed.
func (w *watch) check() {
	last := time.Duration(w.last.Load())
	if last == 0 || w.silent.Load() || w.ctx.Err() != nil {
		return
	}
	if rest := w.limits.Stall - (time.Since(w.sent) - last); rest > 0 {
		w.stall.Reset(rest)
		return
	}
	w.cancel(errStalled)
}

// allowSilence ends the stall limit, not the time limit.
func (w *watch) allowSilence() { w.silent.Store(true) }

func (w *watch) stop() {
	if w.stall != nil {
		w.silent.Store(true)
		w.stall.Stop()
	}
	if w.timeout != nil {
		w.timeout.Stop()
	}
	w.cancel(nil)
}

// verdict returns the outcome when the request was ended from this side.
func (w *watch) verdict() (outcome Outcome, detail string, ended bool) {
	switch cause := context.Cause(w.ctx); {
	case cause == nil:
		return "", "", false
	case errors.Is(cause, errStalled):
		return Stalled, fmt.Sprintf("No byte of the stream was received for %v.", w.limits.Stall), true
	case errors.Is(cause, errTimedOut):
		return TimedOut, fmt.Sprintf("The response was not complete after %v.", w.limits.Timeout), true
	default:
		return Cancelled, "The run stopped before the response was complete.", true
	}
}
