package health

import (
	"net/http"
	"time"

	"assay.dev/k6/httpstream"
)

// targetClock bounds how far the clock of the target is ahead of this machine's: the Date of a response, in whole seconds, was
// read from that clock after the request was sent and before the headers arrived. Load generators in several places compare
// their clocks by it.
type targetClock struct {
	known     bool
	low, high time.Duration

	date string // that of at
	at   time.Time
}

// saw takes the Date of a response.
func (c *targetClock) saw(r *httpstream.Result) {
	if r.Date == "" || r.TTFB == httpstream.NotMeasured {
		return
	}
	if r.Date != c.date {
		at, err := http.ParseTime(r.Date)
		if err != nil {
			return
		}
		c.date, c.at = r.Date, at
	}
	sent := r.Sent.Round(0) // its reading of the wall clock alone
	low, high := c.at.Sub(sent.Add(r.TTFB)), c.at.Add(time.Second).Sub(sent)
	if !c.known {
		c.known, c.low, c.high = true, low, high
		return
	}
	c.low, c.high = max(c.low, low), min(c.high, high)
}

// bounds are in milliseconds; nil without a Date. Those of a target with several clocks contradict each other: the first is
// above the second.
func (c *targetClock) bounds() []float64 {
	if !c.known {
		return nil
	}
	return []float64{round(milliseconds(c.low), 3), round(milliseconds(c.high), 3)}
}
