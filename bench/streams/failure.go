package main

import "sync/atomic"

// failure is how a stream fails, as the ground truth names it; empty: it does not.
type failure string

const (
	httpError  failure = "http_500"    // HTTP 500 and no stream
	cut        failure = "cut"         // the connection is closed in mid-stream
	errorEvent failure = "error_event" // an event with an error ends the stream
	noDone     failure = "no_done"     // the stream ends in good order, but without finish_reason and [DONE]
)

var failures = [...]failure{httpError, cut, errorEvent, noDone}

// slowness is how many times slower than the others a failing stream is, so that its times show wherever they are counted.
const slowness = 2

var (
	errorEnd      = chunked(`data: {"error":{"message":"failed as planned","type":"server_error","code":500}}`+"\n\n") + streamEnd
	errorBody     = `{"error":{"message":"failed as planned","type":"server_error"}}`
	errorResponse = "HTTP/1.1 500 Internal Server Error\r\nContent-Type: application/json\r\n" + withLength(errorBody)
)

// failing lets every n-th stream fail, in each of the ways in turn; none when every is 0.
type failing struct {
	every   int64
	streams atomic.Int64
}

// next is how the next stream fails.
func (f *failing) next() failure {
	number := f.streams.Add(1)
	if f.every == 0 || number%f.every != 0 {
		return ""
	}
	return failures[(number/f.every-1)%int64(len(failures))]
}

// failed is the plan of a stream that fails half way.
func (p plan) failed() plan {
	return plan{ttft: slowness * p.ttft, itl: slowness * p.itl, tokens: (p.tokens + 1) / 2}
}
