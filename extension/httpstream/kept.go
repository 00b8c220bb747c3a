package httpstream

import (
	"net/http"
	"time"
)

// Kept is a response as it was received, of a request whose exchange is kept.
type Kept struct {
	Header http.Header
	// Body is the first [MaxKept] bytes of the body, and Truncated tells that there were more.
	Body      []byte
	Truncated bool
	// Whole tells that the body came to its end.
	Whole bool
	// Chunks are the reads of the body; after many, the last one stands for all that follow.
	Chunks []Chunk
}

// Chunk is what one read of a body returned.
type Chunk struct {
	At    time.Duration // since the request was sent
	Bytes int
}

// mostChunks bounds the chunks of one response.
const mostChunks = 2000

// add takes what was read.
func (k *Kept) add(chunk []byte, at time.Duration) {
	if n := len(k.Chunks); n < mostChunks {
		k.Chunks = append(k.Chunks, Chunk{at, len(chunk)})
	} else {
		k.Chunks[n-1].Bytes += len(chunk)
	}
	if room := MaxKept - len(k.Body); len(chunk) > room {
		chunk, k.Truncated = chunk[:room], true
	}
	k.Body = append(k.Body, chunk...)
}
