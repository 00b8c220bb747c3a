package pacer

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

func (s Segment) share() float64 {
	if s.Share == 0 {
		return 1
	}
	return s.Share
}

// next is the number, within the whole run, of the arrival after the one numbered last; count arrivals came before.
func (s Segment) next(last, count int64) int64 {
	switch {
	case count == 0:
		return s.Start
	case len(s.Steps) == 0:
		return last + 1
	default:
		return last + s.Steps[(count-1)%int64(len(s.Steps))]
	}
}
