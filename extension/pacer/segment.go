package pacer

import "fmt"

// Segment is the share of one process in a run of several. The zero value is the whole run.
//
// The arrivals of a run are distributed by their number, so that the shards of a constant process, of a trace and of a
// gamma process (all of which compute the same schedule) are together exactly that schedule, if they start together.
// Poisson shards are independent streams of a smaller rate, which together are one Poisson process; while the rate is
// constant they need no common start.
type Segment struct {
	// Share is the part of the rate; 0 stands for all of it.
	Share float64
	// Key makes the random streams of Poisson shards differ.
	Key uint64
	// Start is the number of the first arrival of the shard, and Steps are the distances to the next ones, repeated; no
	// steps means every arrival.
	Start int64
	Steps []int64
}

// Part is one of several equal parts of a run, such as that of a cluster, numbered from 1. The zero value is the whole run.
type Part struct {
	Number int64 `json:"part"`
	Of     int64 `json:"of"`
}

// Within returns the segment of the whole run that a segment of one of its parts is. The part has each Of-th arrival of the
// run, and the segment those of them that it would have of a run. So the other parts need not be known: they may have any
// number of processes. Key stays.
func (s Segment) Within(p Part) Segment {
	if p.Of <= 1 {
		return s
	}
	steps := []int64{p.Of}
	if len(s.Steps) > 0 {
		steps = make([]int64, len(s.Steps))
		for i, step := range s.Steps {
			steps[i] = step * p.Of
		}
	}
	return Segment{Share: s.share() / float64(p.Of), Key: s.Key, Start: p.Number - 1 + s.Start*p.Of, Steps: steps}
}

// Check says what makes a part unusable.
func (p Part) Check() error {
	if p == (Part{}) || p.Number >= 1 && p.Number <= p.Of {
		return nil
	}
	return fmt.Errorf("cannot run part %d of %d: parts are numbered from 1", p.Number, p.Of)
}

func (s Segment) share() float64 {
	if s.Share == 0 {
		return 1
	}
	return s.Share
}

// stripe yields the numbers of a segment, ascending.
type stripe struct {
	segment     Segment
	last, count int64
}

// next is the number that take will yield.
func (s *stripe) next() int64 {
	switch {
	case s.count == 0:
		return s.segment.Start
	case len(s.segment.Steps) == 0:
		return s.last + 1
	default:
		return s.last + s.segment.Steps[(s.count-1)%int64(len(s.segment.Steps))]
	}
}

// take yields the next number.
func (s *stripe) take() int64 {
	s.last = s.next()
	s.count++
	return s.last
}
