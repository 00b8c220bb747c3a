package httpstream

import (
	"errors"
	"fmt"

	"assay.dev/k6/sse"
)

// How much of a response is read and kept, in bytes; formats/outcomes.ts documents these limits. What exceeds one ends the
// request as [TooLarge], so that no target fills the memory of the load generator.
const (
	// maxHeader bounds the status line and headers.
	maxHeader = 1 << 20
	// maxLine bounds a line of JSON lines, as sse.MaxEvent bounds an event.
	maxLine = sse.MaxEvent
	// maxBody bounds a whole body, streamed or not.
	maxBody = 256 << 20
	// maxChunks bounds the events with content of one stream, whose times are kept until its end.
	maxChunks = 1 << 18
)

var errTooLarge = errors.New("the response is too large")

// tooLarge ends the reading of a response, and sets the outcome unless it is set already.
func (r *Result) tooLarge(format string, limit int) {
	r.full = true
	r.fail(TooLarge, fmt.Sprintf(format, limit))
}
