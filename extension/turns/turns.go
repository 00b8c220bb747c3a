// Package turns keeps virtual users that are about to send a request from holding up the reading of responses.
//
// The scheduler of Go looks at sockets only when no goroutine is ready to run. Of many users that end a request at the same time,
// and begin the next one, each is ready for a long time, and what the target sends meanwhile would be read late.
package turns

import (
	"os"
	"runtime"
	"sync"
	"time"
)

const (
	// atOnce is how many users have a turn, per CPU, before sockets are looked at.
	atOnce = 1
	// lasts is how long a turn lasts. Sockets were looked at meanwhile, unless many users are ready.
	lasts = time.Millisecond
)

// Turns hands out turns. It is safe for concurrent use.
type Turns struct {
	// A byte that is written to the bell wakes the ear as the bytes of a response wake their reader, and after those that came before.
	bell, ear *os.File
	listen    sync.Once

	mu      sync.Mutex
	free    bool // nobody has to wait, because there is no bell
	left    int  // turns until sockets are looked at
	since   time.Time
	waiting []chan struct{}
	rung    bool // the next turns are handed out once sockets were looked at
}

// New returns turns, which are never refused.
func New() *Turns {
	ear, bell, err := os.Pipe()
	return &Turns{bell: bell, ear: ear, free: err != nil}
}

// Await waits for a turn of a user that is about to do much at once, unless its last one still lasts, and returns when it began.
func (t *Turns) Await(last time.Time) time.Time {
	now := time.Now()
	if now.Sub(last) < lasts {
		return last
	}
	turn := t.take(now)
	if turn == nil {
		return now
	}
	t.listen.Do(func() { go t.answer() })
	<-turn
	t.ringIfAnyWaits()
	return time.Now()
}

// take takes a turn, or returns a channel that is closed when there is one.
func (t *Turns) take(now time.Time) <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) == 0 && now.Sub(t.since) >= lasts {
		t.refill(now)
	}
	if t.free {
		return nil
	}
	if len(t.waiting) == 0 && t.left > 0 {
		t.left--
		return nil
	}
	turn := make(chan struct{})
	t.waiting = append(t.waiting, turn)
	t.ring()
	return turn
}

func (t *Turns) refill(now time.Time) { t.left, t.since = atOnce*runtime.GOMAXPROCS(0), now }

// ringIfAnyWaits is for who got a turn, and not for who hands them out: a pipe with a byte in it is read at once.
func (t *Turns) ringIfAnyWaits() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) > 0 {
		t.ring()
	}
}

// ring has the next turns handed out once sockets were looked at.
func (t *Turns) ring() {
	if t.rung {
		return
	}
	t.rung = true
	if _, err := t.bell.Write([]byte{0}); err != nil {
		t.letAll()
	}
}

// answer hands out turns each time that the bell rings.
func (t *Turns) answer() {
	heard := make([]byte, 1)
	for {
		if _, err := t.ear.Read(heard); err != nil {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.letAll()
			return
		}
		t.hand(time.Now())
	}
}

// hand hands out the turns until the next look.
func (t *Turns) hand(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rung = false
	t.refill(now)
	n := min(t.left, len(t.waiting))
	for _, turn := range t.waiting[:n] {
		close(turn)
	}
	t.left -= n
	if t.waiting = t.waiting[n:]; len(t.waiting) == 0 {
		t.waiting = nil
	}
}

// letAll has nobody wait any more.
func (t *Turns) letAll() {
	for _, turn := range t.waiting {
		close(turn)
	}
	t.waiting, t.free = nil, true
}
