package pacer

// quota bounds the measured arrivals by MaxArrivals. The shards of a run that compute the same schedule are together exactly
// its first measured arrivals. The others have as many each as their stripe of the first MaxArrivals numbers.
type quota struct {
	most   int64  // 0 for no bound
	shared bool   // all shards compute the same schedule
	warmup int64  // arrivals of the whole run in its warm-up, of a shared schedule
	taken  stripe // of a schedule that is not shared
}

func newQuota(spec Spec) quota {
	q := quota{most: spec.MaxArrivals, shared: spec.Process != Poisson && spec.Process != Closed, taken: stripe{segment: spec.Segment}}
	if q.most > 0 && q.shared && spec.Warmup > 0 {
		q.warmup = warmupArrivals(spec)
	}
	return q
}

// warmupArrivals counts the arrivals of the whole run in its warm-up.
func warmupArrivals(spec Spec) (count int64) {
	spec.MaxArrivals, spec.Segment = 0, Segment{}
	for schedule := NewSchedule(spec); ; count++ {
		if due, more := schedule.Next(); !more || due.Offset >= spec.Warmup {
			return count
		}
	}
}

// take takes one measured arrival with this number within the run; false when none is left.
func (q *quota) take(index int64) bool {
	switch {
	case q.most == 0:
		return true
	case q.shared:
		return index-q.warmup < q.most
	}
	return q.taken.take() < q.most
}
