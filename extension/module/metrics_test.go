package module

import (
	"context"
	"testing"
	"time"

	"assay.dev/k6/httpstream"
	"assay.dev/k6/record"
	"go.k6.io/k6/v2/metrics"
)

// valuesOf are the samples of a streamed chat with 2 gaps, by the name of their metric.
func valuesOf(t *testing.T, features string, change func(*record.Record)) map[string][]float64 {
	t.Helper()
	t.Setenv(featuresVariable, features)
	registry := metrics.NewRegistry()
	set, err := registerMetrics(registry)
	if err != nil {
		t.Fatal(err)
	}
	r := &record.Record{SlotWait: httpstream.NotMeasured, Lag: httpstream.NotMeasured, Result: &httpstream.Result{
		Outcome: httpstream.OK, TTFB: time.Millisecond, TTFT: 2 * time.Millisecond, TTFTAny: httpstream.NotMeasured,
		TTLTAny: httpstream.NotMeasured, E2E: 90 * time.Millisecond, GapsUS: []int64{10_000, 30_000}, Chunks: 3, InputTokens: 5,
		OutputTokens: 3, ReasoningTokens: httpstream.Unknown, CachedTokens: httpstream.Unknown,
	}}
	if change != nil {
		change(r)
	}
	values := map[string][]float64{}
	for _, sample := range (samples{of: r, metrics: set, builtin: metrics.RegisterBuiltinMetrics(registry)}).GetSamples() {
		values[sample.Metric.Name] = append(values[sample.Metric.Name], sample.Value)
	}
	return values
}

func TestEveryGapIsASampleOnlyWhereTrendsBecomeHistograms(t *testing.T) {
	plain := valuesOf(t, "", nil)
	if len(plain["assay_icl"]) != 0 || plain["assay_icl_mean"][0] != 20 || plain["assay_icl_max"][0] != 30 {
		t.Errorf("got %v", plain)
	}
	if all := valuesOf(t, "native-histograms", nil)["assay_icl"]; len(all) != 2 || all[0] != 10 || all[1] != 30 {
		t.Errorf("gaps %v, want 10 and 30 ms", all)
	}
}

func TestAClosedLoopHasNoLatencyFromTheScheduledStart(t *testing.T) {
	if got := valuesOf(t, "", nil); got["assay_e2e_scheduled"] != nil || got["assay_ttft_scheduled"] != nil || got["assay_e2e"][0] != 90 {
		t.Errorf("got %v", got)
	}
	open := valuesOf(t, "", func(r *record.Record) {
		r.Lag, r.Scheduled = 0, time.Unix(100, 0)
		r.Sent = r.Scheduled.Add(10 * time.Millisecond)
	})
	if open["assay_e2e_scheduled"][0] != 100 || open["assay_ttft_scheduled"][0] != 12 {
		t.Errorf("got %v, want 100 and 12 ms", open)
	}
}

func TestARequestThatFailedHasItsOutcomeOnly(t *testing.T) {
	got := valuesOf(t, "native-histograms", func(r *record.Record) { r.Outcome = httpstream.Truncated })
	if got["assay_e2e"] != nil || got["assay_icl"] != nil || got["assay_output_tokens"] != nil || got["assay_outcomes"][0] != 1 || got["http_req_failed"][0] != 1 {
		t.Errorf("got %v", got)
	}
}

func TestSamplesOfTheEndOfARunAreKeptUnlessOutputsAreBusy(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	channel := make(chan metrics.SampleContainer, 1)
	for range 3 {
		samples{}.push(ended, channel)
	}
	if len(channel) != 1 {
		t.Errorf("%d containers, want 1", len(channel))
	}
}

func TestRequestsMakeNoSamplesWhereNoOutputTakesThem(t *testing.T) {
	t.Setenv(noSamplesVariable, "1")
	set, err := registerMetrics(metrics.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	if e := (&endpoint{user: &Instance{metrics: set}}); e.sampler(nil) != nil {
		t.Error("they do")
	}
}
