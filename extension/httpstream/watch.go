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
	errLeft     = errors.New("left")
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
	leave   *time.Timer

	// What is known about a request that does not end.
	trace  atomic.Pointer[trace]
	status atomic.Int64
	ttfb   atomic.Int64
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
	if limits.Stay > 0 {
		w.leave = time.AfterFunc(limits.Stay, func() { w.cancel(errLeft) })
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
	if w.leave != nil {
		w.leave.Stop()
	}
	w.cancel(nil)
}

// responded notes the head of a response.
func (w *watch) responded(result *Result) {
	w.status.Store(int64(result.Status))
	w.ttfb.Store(int64(result.TTFB))
}

// closeConnection closes the connection of the request, below TLS: whatever waits for it fails.
func (w *watch) closeConnection() {
	if t := w.trace.Load(); t != nil {
		if conn := t.conn.Load(); conn != nil {
			_ = conn.Close()
		}
	}
}

// abandoned is the result of a request that did not end after its context.
func (w *watch) abandoned() *Result {
	result := newResult(w.sent)
	if t := w.trace.Load(); t != nil {
		result.Connected, result.Reused = t.connected(), t.reused.Load()
		t.phases(result, nil)
	}
	if status := w.status.Load(); status != 0 {
		result.Status, result.TTFB = int(status), time.Duration(w.ttfb.Load())
	}
	outcome, detail, _ := w.verdict()
	result.fail(outcome, detail+" Its connection did not react, and was abandoned.")
	result.E2E = result.now()
	return result
}

// awaited says what had not come yet.
func (w *watch) awaited() string {
	switch t := w.trace.Load(); {
	case t == nil || t.connected():
		return "The response was not complete"
	case t.handshaking():
		return "The TLS handshake was not complete"
	default:
		return "No connection was open"
	}
}

// verdict returns the outcome when the request was ended from this side.
func (w *watch) verdict() (outcome Outcome, detail string, ended bool) {
	switch cause := context.Cause(w.ctx); {
	case cause == nil:
		return "", "", false
	case errors.Is(cause, errStalled):
		return Stalled, fmt.Sprintf("No byte of the stream was received for %v.", w.limits.Stall), true
	case errors.Is(cause, errTimedOut):
		return TimedOut, fmt.Sprintf("%s after %v.", w.awaited(), w.limits.Timeout), true
	case errors.Is(cause, errLeft):
		return Left, "", true
	default:
		return Cancelled, "The run stopped before the response was complete.", true
	}
}
