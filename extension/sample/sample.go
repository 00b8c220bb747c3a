// Package sample passes the exchanges of some arrivals on to Assay, which checks them against the specification after the
// run. Nothing here waits for Assay: what it does not take in time is dropped, and counted.
package sample

import (
	"io"
	"sync"

	"assay.dev/k6/httpstream"
)

// mostHeld bounds the bytes of bodies that wait to be written, and mostPassed those of a run, which Assay keeps in memory.
const mostHeld, mostPassed = 16 << 20, 64 << 20

// Sample takes a share of the arrivals, and all exchanges of some endpoints. The zero value takes none. It is safe for concurrent use once it is started.
type Sample struct {
	share float64
	seed  uint64
	pipe  io.WriteCloser // nil: nothing is taken

	mu      sync.Mutex
	waiting []exchange
	held    int
	passed  int
	closing bool
	count   Counts

	wake chan struct{}
	done chan struct{}
}

// Counts are the exchanges of a sample.
type Counts struct {
	Taken   int64 `json:"taken"`
	Dropped int64 `json:"dropped"` // of those, because they were too many
}

// overhead is about what an exchange takes besides its bodies.
const overhead = 1 << 10

// exchange is a request with its result.
type exchange struct {
	id      int64
	request *httpstream.Request
	result  *httpstream.Result
}

// size is about how much memory it takes.
func (e exchange) size() int {
	size := overhead + len(e.request.Body)
	if e.result.Kept != nil {
		size += len(e.result.Kept.Body)
	}
	return size
}

// Start begins to take that share of the arrivals, and writes their exchanges to the pipe; nil takes none. Call it before
// the first arrival. The same seed takes the same arrivals.
func (s *Sample) Start(pipe io.WriteCloser, share float64, seed uint64) {
	if pipe == nil {
		return
	}
	s.pipe, s.share, s.seed = pipe, share, seed
	s.wake, s.done = make(chan struct{}, 1), make(chan struct{})
	go s.run()
}

// Takes reports whether the exchanges of an arrival are taken: all of them, so that the history of a video task is whole.
// Those of an endpoint that is always checked are, whatever the share.
func (s *Sample) Takes(arrival int64, always bool) bool {
	if s.pipe == nil || always {
		return s.pipe != nil
	}
	return float64(mixed(s.seed, uint64(arrival))>>11)/(1<<53) < s.share
}

// mixed is a hash of two numbers (splitmix64).
func mixed(seed, n uint64) uint64 {
	z := seed*0x9e3779b97f4a7c15 + (n+1)*0xbf58476d1ce4e5b9
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// Add takes an exchange that is over. The request and its result must not change any more.
func (s *Sample) Add(request *httpstream.Request, result *httpstream.Result) {
	if s.pipe == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count.Taken++
	taken := exchange{s.count.Taken, request, result}
	size := taken.size()
	if s.closing || s.held+size > mostHeld || s.passed+size > mostPassed {
		s.count.Dropped++
		return
	}
	s.held += size
	s.passed += size
	s.waiting = append(s.waiting, taken)
	s.signal()
}

// Close writes what is left and how many there were, and closes the pipe.
func (s *Sample) Close() {
	if s.pipe == nil {
		return
	}
	s.mu.Lock()
	s.closing = true
	s.signal()
	s.mu.Unlock()
	<-s.done
}

func (s *Sample) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *Sample) run() {
	defer close(s.done)
	defer s.pipe.Close()
	for range s.wake {
		for {
			next, last := s.next()
			if next == nil {
				if last {
					_, _ = s.pipe.Write(lastLine(s.count))
					return
				}
				break
			}
			// Without a reader, the run goes on, and nothing of it is checked.
			_, _ = s.pipe.Write(lineOf(*next))
			s.release(next.size())
		}
	}
}

// next is the exchange that waits longest; nil when there is none, and then for ever when the sample is closed.
func (s *Sample) next() (next *exchange, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 {
		return nil, s.closing
	}
	first := s.waiting[0]
	s.waiting[0] = exchange{}
	s.waiting = s.waiting[1:]
	return &first, false
}

func (s *Sample) release(size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held -= size
}
