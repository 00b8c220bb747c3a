package record

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// within is the error that a gap may be written with.
func within(us int64) float64 {
	share, _ := strconv.ParseFloat(gapError, 64)
	return share * float64(us)
}

func TestBucketsAreAscendingAndNarrow(t *testing.T) {
	last := -1
	for us := int64(0); us < 1<<40; us += 1 + us/997 {
		bucket := bucketOf(us)
		if bucket < last || bucket >= gapBuckets {
			t.Fatalf("%d µs is in bucket %d of %d, after %d", us, bucket, gapBuckets, last)
		}
		last = bucket
		if off := math.Abs(float64(middleOf(bucket) - us)); off > within(us) {
			t.Fatalf("%d µs stands as %d, more than %v of it away", us, middleOf(bucket), gapError)
		}
	}
	if bucketOf(1<<40-1) != gapBuckets-1 || bucketOf(math.MaxInt64) != gapBuckets-1 {
		t.Error("the last bucket is not where the range ends")
	}
}

// taken empties a histogram in portions.
func taken(h *histogram, most int) *pairs {
	p := &pairs{}
	for ended := false; !ended; {
		some := &pairs{}
		ended = h.take(some, most)
		p.us, p.n = append(p.us, some.us...), append(p.n, some.n...)
	}
	return p
}

// values are the samples that pairs stand for, ascending.
func (p *pairs) values() []int64 {
	var values []int64
	for i, us := range p.us {
		values = append(values, slices.Repeat([]int64{us}, int(p.n[i]))...)
	}
	slices.Sort(values)
	return values
}

func TestIncrementsAddUpToEveryGapWithinTheError(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		h, got := newHistogram(), &pairs{}
		var want []int64
		for range 1 + random.IntN(6) {
			gaps := make([]int64, random.IntN(40))
			for i := range gaps {
				gaps[i] = int64(math.Exp(random.Float64() * 20)) // up to 8 minutes
				if random.IntN(5) == 0 {
					gaps[i] = 0
				}
			}
			h.add(gaps)
			want = append(want, gaps...)
			if random.IntN(3) == 0 { // a sweep that does not come to its end
				h.take(got, random.IntN(10))
				continue
			}
			some := taken(h, 1+random.IntN(10))
			got.us, got.n = append(got.us, some.us...), append(got.n, some.n...)
		}
		h.next = 0
		rest := taken(h, 7)
		got.us, got.n = append(got.us, rest.us...), append(got.n, rest.n...)
		slices.Sort(want)
		values := got.values()
		if len(values) != len(want) {
			t.Fatalf("%d gaps, want %d", len(values), len(want))
		}
		if len(want) == 0 {
			continue
		}
		for i, us := range want {
			if math.Abs(float64(values[i]-us)) > within(us) {
				t.Fatalf("gap %d of %d is %d, want %d", i, len(want), values[i], us)
			}
		}
		if values[0] != want[0] || values[len(want)-1] != want[len(want)-1] {
			t.Fatalf("extremes %d and %d, want %d and %d", values[0], values[len(want)-1], want[0], want[len(want)-1])
		}
	}
}

func TestNoGapIsWrittenBeyondTheExtremes(t *testing.T) {
	for _, gaps := range [][]int64{{4096, 4096, 4096}, {4099, 4099, 4099}, {4096, 4097, 4097}, {8000, 8001}, {8001}, {0, 0}} {
		h := newHistogram()
		h.add(gaps)
		first := taken(h, 10).values()
		h.add(gaps)
		for _, values := range [][]int64{first, taken(h, 10).values()} {
			if len(values) != len(gaps) || values[0] < gaps[0] || values[len(gaps)-1] > gaps[len(gaps)-1] {
				t.Errorf("%v was written as %v", gaps, values)
			}
		}
		if first[0] != gaps[0] || first[len(gaps)-1] != gaps[len(gaps)-1] {
			t.Errorf("the extremes of %v were written as %v", gaps, first)
		}
	}
}

func TestAHistogramAllocatesNothingForGaps(t *testing.T) {
	h, p, gaps := newHistogram(), &pairs{}, []int64{0, 20_000, 20_100, 3_000_000}
	h.add(gaps)
	h.take(p, 10)
	if n := testing.AllocsPerRun(100, func() { h.add(gaps); p.clear(); h.take(p, 10) }); n != 0 {
		t.Errorf("%v allocations per request, want 0", n)
	}
}

func BenchmarkHistogramAdd(b *testing.B) {
	h, gaps := newHistogram(), make([]int64, 100)
	for i := range gaps {
		gaps[i] = 19_000 + int64(i)*20
	}
	for b.Loop() {
		h.add(gaps)
	}
}
