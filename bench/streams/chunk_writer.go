package main

import (
	"container/heap"
	"io"
	"net"
	"runtime"
	"sync"
	"time"
)

// stream is an answer under way.
type stream struct {
	plan
	conn    net.Conn
	arrived time.Time
	actual  []time.Duration
	broken  bool // the client left
	done    chan struct{}
}

func (s *stream) next() time.Time { return s.arrived.Add(s.due(len(s.actual))) }

// write sends the chunk that is due; false after the last. The time is taken before the write: earlier nobody can have
// read it.
func (s *stream) write() bool {
	text := token
	if len(s.actual)+1 == s.tokens {
		text += end
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

// clock writes the chunks of all streams when they are due, from one thread.
type clock struct {
	mu   sync.Mutex
	new  []*stream
	heap byDue
}

// tick is how often the clock looks for new streams and due chunks.
const tick = 100 * time.Microsecond

func newClock() *clock {
	c := &clock{}
	go c.run()
	return c
}

func (c *clock) start(s *stream) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.new = append(c.new, s)
}

func (c *clock) run() {
	runtime.LockOSThread()
	for {
		c.mu.Lock()
		for _, s := range c.new {
			heap.Push(&c.heap, s)
		}
		c.new = c.new[:0]
		c.mu.Unlock()
		for len(c.heap) > 0 && !time.Now().Before(c.heap[0].next()) {
			if c.heap[0].write() {
				heap.Fix(&c.heap, 0)
			} else {
				heap.Pop(&c.heap)
			}
		}
		rest(tick)
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
