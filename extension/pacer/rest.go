package pacer

import (
	"slices"
	"sync/atomic"
	"time"
)

// rest holds the waiting slots of one run after its last arrival until no arrival is under way: thousands of virtual users
// that end at once would delay the chunks of the streams that are still open.
type rest struct {
	pacers []*Pacer
	busy   atomic.Int64 // arrivals under way
}

// release ends the wait of all slots if no arrival will be due and none is under way. Not called with mu of a pacer held.
func (r *rest) release() {
	if slices.ContainsFunc(r.pacers, (*Pacer).goesOn) || r.busy.Load() > 0 {
		return
	}
	for _, p := range r.pacers {
		p.mu.Lock()
		p.releaseAll()
		p.mu.Unlock()
	}
}

// goesOn says whether the pacer may hand out another arrival of its schedule.
func (p *Pacer) goesOn() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.exhausted && (p.spec.Process != Closed || time.Now().Before(p.end()))
}
