package otlp

import (
	"context"
	"testing"
	"time"

	"assay.dev/k6/httpstream"
	"assay.dev/k6/record"
	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

const (
	ms   = time.Millisecond
	none = httpstream.NotMeasured
)

// stream is a streamed chat of 3 chunks, changed.
func stream(change func(*record.Record)) *record.Record {
	r := &record.Record{Op: "chat.stream", Model: "m", Phase: "measure", SlotWait: none, Lag: none, Result: &httpstream.Result{
		Outcome: httpstream.OK, Status: 200, TTFB: 5 * ms, TTFT: 30 * ms, TTFTAny: none, TTLTAny: none, E2E: 90 * ms,
		GapsUS: []int64{15_000, 25_000}, Chunks: 3, InputTokens: 7, OutputTokens: 3, ReasoningTokens: httpstream.Unknown, CachedTokens: httpstream.Unknown,
		TokenSource: httpstream.TokensOfUsage,
	}}
	change(r)
	return r
}

// collected counts records, and returns what a reader sees of them by name.
func collected(t *testing.T, records ...*record.Record) map[string]metricdata.Metrics {
	t.Helper()
	reader := sdk.NewManualReader()
	all, err := newInstruments(sdk.NewMeterProvider(sdk.WithReader(reader)).Meter("test"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		all.add(r, keyOf(r).attributes([]attribute.KeyValue{attribute.String("server.address", "h")}))
	}
	var got metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &got); err != nil {
		t.Fatal(err)
	}
	byName := map[string]metricdata.Metrics{}
	for _, metric := range got.ScopeMetrics[0].Metrics {
		byName[metric.Name] = metric
	}
	return byName
}

// seconds are the count and the sum of a histogram, over all its attributes.
func seconds(t *testing.T, metric metricdata.Metrics) (count uint64, sum float64) {
	t.Helper()
	histogram, ok := metric.Data.(metricdata.Histogram[float64])
	if !ok || metric.Unit != "s" {
		t.Fatalf("%s is a %T in %q", metric.Name, metric.Data, metric.Unit)
	}
	for _, point := range histogram.DataPoints {
		count, sum = count+point.Count, sum+point.Sum
	}
	return count, sum
}

func TestARequestIsCountedUnderTheNamesOfTheConventions(t *testing.T) {
	got := collected(t,
		stream(func(r *record.Record) { r.Lag, r.SlotWait = ms, 2*ms }),
		stream(func(r *record.Record) { r.TTFTAny, r.TTLTAny = 10*ms, 70*ms }),
		stream(func(r *record.Record) { r.Outcome, r.Status = httpstream.HTTPError, 503 }),
	)
	for name, want := range map[string]struct {
		count uint64
		sum   float64
	}{
		"gen_ai.client.operation.duration":              {3, 0.27},
		"gen_ai.client.operation.time_to_first_chunk":   {2, 0.04},
		"gen_ai.client.operation.time_per_output_chunk": {4, 0.08},
		"assay.ttft":         {2, 0.06},
		"assay.tpot":         {2, 0.05},
		"assay.schedule_lag": {1, 0.001},
		"assay.slot_wait":    {1, 0.002},
	} {
		count, sum := seconds(t, got[name])
		if count != want.count || sum < want.sum-1e-9 || sum > want.sum+1e-9 {
			t.Errorf("%s: %d and %v s, want %d and %v s", name, count, sum, want.count, want.sum)
		}
	}
}

func TestAnErrorHasItsType(t *testing.T) {
	for want, change := range map[string]func(*record.Record){
		"503":          func(r *record.Record) { r.Outcome, r.Status = httpstream.HTTPError, 503 },
		"rate_limited": func(r *record.Record) { r.Outcome, r.Status = httpstream.RateLimited, 429 },
		"truncated":    func(r *record.Record) { r.Outcome = httpstream.Truncated },
		"":             func(*record.Record) {},
	} {
		histogram, ok := collected(t, stream(change))["gen_ai.client.operation.duration"].Data.(metricdata.Histogram[float64])
		if !ok {
			t.Fatal("no duration")
		}
		set := histogram.DataPoints[0].Attributes
		if got, _ := set.Value("error.type"); got.AsString() != want {
			t.Errorf("error.type %q, want %q", got.AsString(), want)
		}
		for key, value := range map[attribute.Key]string{
			"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "assay.op": "chat.stream", "assay.phase": "measure", "server.address": "h",
		} {
			if got, _ := set.Value(key); got.AsString() != value {
				t.Errorf("%s is %q, want %q", key, got.AsString(), value)
			}
		}
	}
}

func TestTokensAreCountedOnlyWhereTheyAreKnown(t *testing.T) {
	got := collected(t, stream(func(r *record.Record) { r.InputTokens = httpstream.Unknown }))
	histogram, ok := got["gen_ai.client.token.usage"].Data.(metricdata.Histogram[int64])
	if !ok || len(histogram.DataPoints) != 1 || histogram.DataPoints[0].Sum != 3 {
		t.Fatalf("got %+v, want 3 output tokens", got["gen_ai.client.token.usage"].Data)
	}
	if kind, _ := histogram.DataPoints[0].Attributes.Value("gen_ai.token.type"); kind.AsString() != "output" {
		t.Errorf("token type %q", kind.AsString())
	}
}
