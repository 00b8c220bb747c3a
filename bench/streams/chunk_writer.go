package main

import (
	"container/heap"
	"io"
	"net"
	"runtime"
	"sync"
	"time"
)

// stream is a response in progress.
type stream struct {
	plan
	conn    net.Conn
	end     string // what follows the last chunk
	arrived time.Time
	actual  []time.Duration
	broken  bool // the client closed the connection
	done    chan struct{}
}

func (s *stream) next() time.Time { return s.arrived.Add(s.due(len(s.actual))) }

// write sends the chunk that is due and reports whether more chunks follow. The time is taken before the write, so that
// no client can have read the chunk earlier.
func (s *stream) write() bool {
	text := tokenChunk
	if len(s.actual)+1 == s.tokens {
		text += s.end
	}
	s.actual = append(s.actual, time.Since(s.arrived))
	if _, err := io.WriteString(s.conn, text); err != nil {
		s.broken = true
	}
	if s.broken || len(s.actual) == s.tokens {
		close(s.done)
		return false
	}
	return true
}

// chunkWriter writes the chunks of all streams when they are due, from one thread.
type chunkWriter struct {
	mu   sync.Mutex
	new  []*stream
	heap byDue
}

// tick is the interval at which the writer checks for new streams and due chunks.
const tick = 100 * time.Microsecond

func newChunkWriters(count int) []*chunkWriter {
	writers := make([]*chunkWriter, max(1, count))
	for n := range writers {
		writers[n] = &chunkWriter{}
		go writers[n].run()
	}
	return writers
}

func (w *chunkWriter) start(s *stream) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.new = append(w.new, s)
}

func (w *chunkWriter) run() {
	runtime.LockOSThread()
	for {
		w.mu.Lock()
		for _, s := range w.new {
			heap.Push(&w.heap, s)
		}
		w.new = w.new[:0]
		w.mu.Unlock()
		for len(w.heap) > 0 && !time.Now().Before(w.heap[0].next()) {
			if w.heap[0].write() {
				heap.Fix(&w.heap, 0)
			} else {
				heap.Pop(&w.heap)
			}
		}
		sleep(tick)
	}
}

// byDue is a heap of streams by their next chunk.
type byDue []*stream

func (h byDue) Len() int           { return len(h) }
func (h byDue) Less(i, j int) bool { return h[i].next().Before(h[j].next()) }
func (h byDue) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *byDue) Push(s any)        { *h = append(*h, s.(*stream)) }
func (h *byDue) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
