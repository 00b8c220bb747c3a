package pacer

// Segment is one process's share of a run that several share. The zero value is the whole run.
//
// The arrivals of a constant process are dealt out by their number. Poisson shards are independent streams of a smaller
// rate, which together are one Poisson process and need no common start; gamma shards are independent too, and together
// less bursty than one gamma process.
type Segment struct {
	// Share is the part of the rate; 0 stands for all of it.
	Share float64
	// Key makes the random streams of the shards differ.
	Key uint64
	// Start is the number of the shard's first constant arrival, and Steps are the distances to the next ones, repeated
	// for ever; no steps stand for every arrival.
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
