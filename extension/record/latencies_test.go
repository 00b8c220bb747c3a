package record

import (
	"testing"
	"time"

	"assay.dev/k6/httpstream"
)

const ms = time.Millisecond

// streamed is an ok stream of 3 events with content, 10 and 30 ms apart.
func streamed(change func(*Record)) *Record {
	r := &Record{Lag: ms, Result: &httpstream.Result{
		Outcome: httpstream.OK, GapsUS: []int64{10_000, 30_000}, Chunks: 3, OutputTokens: 5,
		ReasoningTokens: httpstream.Unknown, CachedTokens: httpstream.Unknown, TTFTAny: httpstream.NotMeasured, TTLTAny: httpstream.NotMeasured,
		TokenSource: httpstream.TokensOfUsage,
	}}
	r.Scheduled = time.Unix(100, 0)
	r.Sent = r.Scheduled.Add(3 * ms)
	if change != nil {
		change(r)
	}
	return r
}

func TestLatenciesOfOneRequest(t *testing.T) {
	const none = httpstream.NotMeasured
	for name, c := range map[string]struct {
		change                     func(*Record)
		tpot, mean, longest, since time.Duration
	}{
		"content":           {nil, 10 * ms, 20 * ms, 30 * ms, 8 * ms},
		"reasoning unseen":  {func(r *Record) { r.ReasoningTokens = 2 }, 20 * ms, 20 * ms, 30 * ms, 8 * ms},
		"reasoning shown":   {func(r *Record) { r.TTFTAny, r.TTLTAny = 5*ms, 65*ms }, 15 * ms, 20 * ms, 30 * ms, 8 * ms},
		"buffered":          {func(r *Record) { r.Flags = []string{httpstream.FlagBuffered} }, none, none, none, 8 * ms},
		"large first event": {func(r *Record) { r.Flags = []string{httpstream.FlagLargeFirstEvent} }, none, 20 * ms, 30 * ms, 8 * ms},
		"one event":         {func(r *Record) { r.GapsUS = nil }, none, none, none, 8 * ms},
		"one token":         {func(r *Record) { r.OutputTokens = 1 }, none, 20 * ms, 30 * ms, 8 * ms},
		"on no schedule":    {func(r *Record) { r.Lag = none }, 10 * ms, 20 * ms, 30 * ms, none},
		"not ok: no gaps":   {func(r *Record) { r.Outcome = httpstream.Truncated }, 10 * ms, none, none, 8 * ms},
		"counted by chunks": {func(r *Record) { r.TokenSource, r.OutputTokens = httpstream.TokensOfChunks, 3 }, 20 * ms, 20 * ms, 30 * ms, 8 * ms},
	} {
		r := streamed(c.change)
		got := [4]time.Duration{r.TimePerOutputToken(), r.MeanGap(), r.LongestGap(), r.SinceDue(5 * ms)}
		if want := [4]time.Duration{c.tpot, c.mean, c.longest, c.since}; got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}
