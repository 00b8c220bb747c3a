package record

import (
	"slices"
	"time"

	"assay.dev/k6/httpstream"
)

// The latencies of one ok request beside those of its result, for outputs that show a run while it goes on. They follow
// the definitions of load/objectives/metrics.ts.

// ContentGaps are the times between events with content, in microseconds; none of a stream whose content came at once.
func (r *Record) ContentGaps() []int64 {
	if r.Outcome != httpstream.OK || slices.Contains(r.Flags, httpstream.FlagBuffered) {
		return nil
	}
	return r.GapsUS
}

// SinceDue turns a time since the request was sent into one since its arrival was due; NotMeasured for a request that was
// on no schedule.
func (r *Record) SinceDue(sinceSent time.Duration) time.Duration {
	if r.Lag == httpstream.NotMeasured {
		return httpstream.NotMeasured
	}
	return r.SinceScheduled(sinceSent)
}

// TimePerOutputToken is the time from the first to the last event of an output, divided by its tokens but one: of all of
// the output where reasoning was streamed and usage counts it, else of its content alone.
func (r *Record) TimePerOutputToken() time.Duration {
	if slices.Contains(r.Flags, httpstream.FlagBuffered) || slices.Contains(r.Flags, httpstream.FlagLargeFirstEvent) {
		return httpstream.NotMeasured
	}
	if r.TTFTAny != httpstream.NotMeasured && r.TTLTAny != httpstream.NotMeasured && r.TokenSource == httpstream.TokensOfUsage {
		return perToken(r.TTLTAny-r.TTFTAny, r.OutputTokens)
	}
	if len(r.GapsUS) == 0 {
		return httpstream.NotMeasured
	}
	return perToken(sum(r.GapsUS), r.OutputTokens-max(0, r.ReasoningTokens))
}

func perToken(whole time.Duration, tokens int) time.Duration {
	if tokens < 2 {
		return httpstream.NotMeasured
	}
	return whole / time.Duration(tokens-1)
}

// MeanGap and LongestGap are those of [Record.ContentGaps]; NotMeasured without any.
func (r *Record) MeanGap() time.Duration {
	gaps := r.ContentGaps()
	if len(gaps) == 0 {
		return httpstream.NotMeasured
	}
	return sum(gaps) / time.Duration(len(gaps))
}

// LongestGap: see [Record.MeanGap].
func (r *Record) LongestGap() time.Duration {
	gaps := r.ContentGaps()
	if len(gaps) == 0 {
		return httpstream.NotMeasured
	}
	return time.Duration(slices.Max(gaps)) * time.Microsecond
}

func sum(gapsUS []int64) (total time.Duration) {
	for _, us := range gapsUS {
		total += time.Duration(us) * time.Microsecond
	}
	return total
}
