package module

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"net/http"
)

// traceparent is the header of W3C Trace Context, as the key of an http.Header.
const traceparent = "Traceparent"

// newTraceparent returns the header of a new trace: version 00, random ids, sampled (W3C Trace Context, section 3.2).
func newTraceparent() string {
	var ids [24]byte // 16 of the trace, 8 of the span; neither may be all zero
	for part := range 3 {
		binary.BigEndian.PutUint64(ids[8*part:], rand.Uint64N(1<<64-1)+1)
	}
	text := make([]byte, 0, 55)
	text = hex.AppendEncode(append(text, "00-"...), ids[:16])
	text = hex.AppendEncode(append(text, '-'), ids[16:])
	return string(append(text, "-01"...))
}

// traceIDOf is the trace id of a request; empty without one.
func traceIDOf(header http.Header) string {
	const from, to = len("00-"), len("00-") + 32
	if values := header[traceparent]; len(values) == 1 && len(values[0]) > to {
		return values[0][from:to]
	}
	return ""
}
