package health

import (
	"slices"
	"testing"
	"time"

	"assay.dev/k6/httpstream"
)

// at is an instant of the machine of the test, by its own clock.
func at(ms int) time.Time {
	return time.Unix(1_800_000_000, 0).Add(time.Duration(ms) * time.Millisecond)
}

// answered is a request that was sent then, whose response is of the target's clock, which is ahead of this one.
func answered(sentMS, afterMS, ttfbMS, aheadMS int) *httpstream.Result {
	date := at(sentMS + afterMS + aheadMS).UTC().Truncate(time.Second).Format("Mon, 02 Jan 2006 15:04:05 GMT")
	return &httpstream.Result{Sent: at(sentMS), TTFB: time.Duration(ttfbMS) * time.Millisecond, Date: date}
}

func TestTheClockOfTheTargetIsBoundedByTheDatesOfItsResponses(t *testing.T) {
	for _, ahead := range []int{-90_000, -250, 0, 7, 1_400} {
		c := targetClock{}
		if got := c.bounds(); got != nil {
			t.Errorf("bounds %v without a response", got)
		}
		for k := range 400 {
			c.saw(answered(k*37, 3, 8, ahead))
		}
		for _, odd := range []*httpstream.Result{{Date: "yesterday", Sent: at(0)}, {Sent: at(0)}, {Date: "Mon, 02 Jan 2006 15:04:05 GMT", Sent: at(0), TTFB: httpstream.NotMeasured}} {
			c.saw(odd)
		}
		got := c.bounds()
		if len(got) != 2 || got[0] > float64(ahead) || got[1] < float64(ahead) || got[1]-got[0] > 60 {
			t.Errorf("bounds %v, want about %d ms", got, ahead)
		}
	}
}

func TestClocksThatContradictEachOtherHaveCrossedBounds(t *testing.T) {
	c := targetClock{}
	for k := range 400 {
		c.saw(answered(k*37, 3, 8, 500*(k%2)))
	}
	if got := c.bounds(); got[0] < 480 || got[1] > 20 || !slices.IsSorted([]float64{got[1], got[0]}) {
		t.Errorf("bounds %v of two clocks that differ by 500 ms", got)
	}
}
