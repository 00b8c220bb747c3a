package runstate

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"assay.dev/k6/pacer"
	"assay.dev/k6/record"
)

// Arrivals are those under way. How one ended is written where its requests do not tell it. It is safe for concurrent use.
type Arrivals struct {
	mu    sync.Mutex
	open  map[int64]pacer.Arrival
	ended []int64              // since the last TakeEnded
	write func(record.Arrival) // nil: nothing is written
}

// WriteTo sets the function that gets the lines of arrivals; call it before the first arrival.
func (a *Arrivals) WriteTo(write func(record.Arrival)) { a.write = write }

// Started records that a virtual user has begun with an arrival.
func (a *Arrivals) Started(arrival pacer.Arrival) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == nil {
		a.open = map[int64]pacer.Arrival{}
	}
	a.open[arrival.Index] = arrival
}

// Completed records that the scenario has come to its end for an arrival; its requests tell how it went.
func (a *Arrivals) Completed(arrival pacer.Arrival) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.open, arrival.Index)
	if a.write != nil {
		a.ended = append(a.ended, arrival.Index)
	}
}

// TakeEnded returns the numbers of the arrivals that ended since it was last called, in that order.
func (a *Arrivals) TakeEnded() []int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	ended := a.ended
	a.ended = nil
	return ended
}

// Ended records an end that the requests do not tell; detail is what the scenario threw.
func (a *Arrivals) Ended(arrival pacer.Arrival, end record.ArrivalEnd, detail string) {
	a.Completed(arrival)
	a.line(arrival, end, detail)
}

// Close ends those that are still under way as unfinished, and adds those that were never started.
func (a *Arrivals) Close(neverStarted []pacer.Arrival) {
	a.mu.Lock()
	open := slices.SortedFunc(maps.Values(a.open), func(a, b pacer.Arrival) int { return cmp.Compare(a.Index, b.Index) })
	a.open = nil
	a.mu.Unlock()
	for _, arrival := range open {
		a.line(arrival, record.Unfinished, "")
	}
	for _, arrival := range neverStarted {
		a.line(arrival, record.NotStarted, "")
	}
}

func (a *Arrivals) line(arrival pacer.Arrival, end record.ArrivalEnd, detail string) {
	if a.write == nil {
		return
	}
	scheduled := arrival.Scheduled
	if scheduled.IsZero() {
		scheduled = arrival.Free
	}
	a.write(record.Arrival{Index: arrival.Index, Phase: string(arrival.Phase), Scheduled: scheduled, End: end, Detail: detail})
}
