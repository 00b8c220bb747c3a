package record

import (
	"math"
	"math/bits"
)

const (
	// gapError is the most by which a gap may differ from the value that stands for its bucket, as a share of the gap: half
	// a bucket, 2^-11, rounded up. That is an HDR histogram of three significant digits.
	gapError = "0.0005"

	// A gap below unitGaps microseconds has a bucket of its own; every octave beyond has 2^octaveBits buckets.
	octaveBits = 10
	unitGaps   = 2 << octaveBits

	// gapBuckets reach to 2^40 microseconds, which is twelve days.
	gapBuckets = (40 - octaveBits + 1) << octaveBits
)

// histogram counts gaps in buckets of bounded relative width. It contains what was not taken yet; its size never changes.
type histogram struct {
	counts    [gapBuckets]uint32
	low, high int // buckets outside of low ≤ b < high have always been empty
	next      int // bucket at which the sweep under way goes on; 0 between sweeps

	// The shortest and the longest gap are written as they are, once each, so that no extreme is rounded.
	min, max       int64
	minNew, maxNew bool
}

func newHistogram() *histogram { return &histogram{low: gapBuckets, min: math.MaxInt64, max: -1} }

// bucketOf returns the bucket of a gap in microseconds.
func bucketOf(us int64) int {
	if us < unitGaps {
		return int(max(us, 0))
	}
	shift := bits.Len64(uint64(us)) - octaveBits - 1
	return min(shift<<octaveBits+int(us>>shift), gapBuckets-1)
}

// middleOf returns the middle of a bucket in microseconds.
func middleOf(bucket int) int64 {
	if bucket < unitGaps {
		return int64(bucket)
	}
	shift := bucket>>octaveBits - 1
	return int64(bucket-shift<<octaveBits)<<shift + 1<<(shift-1)
}

// add counts gaps in microseconds. It allocates nothing.
func (h *histogram) add(gapsUS []int64) {
	for _, us := range gapsUS {
		bucket := bucketOf(us)
		h.counts[bucket]++
		h.low, h.high = min(h.low, bucket), max(h.high, bucket+1)
		if us < h.min {
			h.min, h.minNew = us, true
		}
		if us > h.max {
			h.max, h.maxNew = us, true
		}
	}
}

// pairs say that a gap of us[i] microseconds was seen n[i] times.
type pairs struct{ us, n []int64 }

func (p *pairs) add(us, n int64) {
	if last := len(p.us) - 1; last >= 0 && p.us[last] == us {
		p.n[last] += n
		return
	}
	p.us, p.n = append(p.us, us), append(p.n, n)
}

func (p *pairs) clear() { p.us, p.n = p.us[:0], p.n[:0] }

// take moves pairs out of the histogram in ascending order until there are most of them, and continues from there the
// next time; it reports whether it reached the end.
func (h *histogram) take(p *pairs, most int) bool {
	bucket := max(h.next, h.low)
	for ; bucket < h.high && len(p.us) < most; bucket++ {
		if h.counts[bucket] > 0 {
			h.empty(p, bucket)
		}
	}
	if bucket < h.high {
		h.next = bucket
		return false
	}
	h.next = 0
	return true
}

// empty takes a bucket. No value that stands for a gap lies beyond the extremes.
func (h *histogram) empty(p *pairs, bucket int) {
	n := int64(h.counts[bucket])
	h.counts[bucket] = 0
	if h.minNew && bucket == bucketOf(h.min) {
		p.add(h.min, 1)
		h.minNew, h.maxNew = false, h.maxNew && h.max > h.min
		n--
	}
	longest := h.maxNew && bucket == bucketOf(h.max)
	if longest {
		n--
	}
	if n > 0 {
		p.add(min(max(middleOf(bucket), h.min), h.max), n)
	}
	if longest {
		p.add(h.max, 1)
		h.maxNew = false
	}
}
