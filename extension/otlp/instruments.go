package otlp

import (
	"context"
	"errors"
	"strconv"
	"time"

	"assay.dev/k6/httpstream"
	"assay.dev/k6/record"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Bounds of histograms that the semantic conventions of OpenTelemetry for generative AI ask for, in seconds and tokens.
var (
	secondBounds = []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
	tokenBounds  = []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
)

// provider names the flavour of the API: it is that of no provider which the conventions know.
const provider = "model-inference-service"

// operations are the operations of the conventions, and custom ones where they know none.
var operations = map[string]string{
	"chat.stream": "chat", "chat": "chat", "embeddings": "embeddings",
	"video.submit": "video.submit", "video.poll": "video.poll", "video.cancel": "video.cancel", "video.fetch": "video.fetch",
	"custom": "custom", "custom.stream": "custom",
}

// instruments are what a request is counted in. Those of the conventions have their names; the others are metrics that
// the conventions do not know, under the names of load/objectives/metrics.ts.
type instruments struct {
	duration, firstChunk, perChunk                            metric.Float64Histogram
	usage                                                     metric.Int64Histogram
	ttft, ttftScheduled, tpot, ttfb, e2eScheduled, slot, late metric.Float64Histogram
	requests                                                  metric.Int64Counter
}

func newInstruments(meter metric.Meter) (*instruments, error) {
	var failures []error
	seconds := func(name, description string) metric.Float64Histogram {
		histogram, err := meter.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(description),
			metric.WithExplicitBucketBoundaries(secondBounds...))
		failures = append(failures, err)
		return histogram
	}
	usage, err := meter.Int64Histogram("gen_ai.client.token.usage", metric.WithUnit("{token}"),
		metric.WithDescription("Number of input and output tokens used."), metric.WithExplicitBucketBoundaries(tokenBounds...))
	failures = append(failures, err)
	requests, err := meter.Int64Counter("assay.requests", metric.WithUnit("{request}"),
		metric.WithDescription("Requests that ended, by outcome."))
	failures = append(failures, err)
	all := &instruments{
		duration: seconds("gen_ai.client.operation.duration", "GenAI operation duration."),
		firstChunk: seconds("gen_ai.client.operation.time_to_first_chunk",
			"Time to receive the first chunk with content or reasoning, from the start of the call."),
		perChunk: seconds("gen_ai.client.operation.time_per_output_chunk",
			"Time between one chunk with content and the next."),
		ttft: seconds("assay.ttft", "Time to the first chunk with content, from the start of the call."),
		ttftScheduled: seconds("assay.ttft_scheduled",
			"Time to the first chunk with content, from the time at which the arrival was due."),
		tpot: seconds("assay.tpot", "Time from the first to the last chunk of the output, per token but one."),
		ttfb: seconds("assay.ttfb", "Time until the status line and headers were read."),
		e2eScheduled: seconds("assay.e2e_scheduled",
			"Time until the last byte, from the time at which the arrival was due."),
		slot:  seconds("assay.slot_wait", "Time for which an arrival waited for a free slot."),
		late:  seconds("assay.schedule_lag", "Delay of a call that the load generator caused itself."),
		usage: usage, requests: requests,
	}
	return all, errors.Join(failures...)
}

// key is what the attributes of a request depend on.
type key struct {
	op, model, phase string
	outcome          httpstream.Outcome
	status           int // of an http_error only
}

// attributes are those of one key, made once.
type attributes struct {
	common, ended, requests, input, output metric.MeasurementOption
}

func (k key) attributes(server []attribute.KeyValue) *attributes {
	common := append([]attribute.KeyValue{
		attribute.String("gen_ai.operation.name", operations[k.op]),
		attribute.String("gen_ai.provider.name", provider),
		attribute.String("assay.op", k.op),
		attribute.String("assay.phase", k.phase),
	}, server...)
	if k.model != "" {
		common = append(common, attribute.String("gen_ai.request.model", k.model))
	}
	with := func(more ...attribute.KeyValue) metric.MeasurementOption {
		return metric.WithAttributeSet(attribute.NewSet(append(common[:len(common):len(common)], more...)...))
	}
	outcome := attribute.String("assay.outcome", string(k.outcome))
	a := &attributes{
		common: with(), ended: with(), requests: with(outcome),
		input: with(attribute.String("gen_ai.token.type", "input")), output: with(attribute.String("gen_ai.token.type", "output")),
	}
	if k.outcome != httpstream.OK {
		failed := attribute.String("error.type", k.errorType())
		a.ended, a.requests = with(failed), with(outcome, failed)
	}
	return a
}

// errorType is the status of a response that was an error, and the outcome of any other failure.
func (k key) errorType() string {
	if k.outcome == httpstream.HTTPError && k.status > 0 {
		return strconv.Itoa(k.status)
	}
	return string(k.outcome)
}

func keyOf(r *record.Record) key {
	k := key{op: r.Op, model: r.Model, phase: r.Phase, outcome: r.Outcome}
	if r.Outcome == httpstream.HTTPError {
		k.status = r.Status
	}
	return k
}

// add counts a request. Only ok requests have latencies beside their duration.
func (i *instruments) add(r *record.Record, a *attributes) {
	ctx := context.Background()
	seconds := func(histogram metric.Float64Histogram, d time.Duration, with metric.MeasurementOption) {
		if d != httpstream.NotMeasured {
			histogram.Record(ctx, d.Seconds(), with)
		}
	}
	tokens := func(n int, with metric.MeasurementOption) {
		if n != httpstream.Unknown {
			i.usage.Record(ctx, int64(n), with)
		}
	}
	i.requests.Add(ctx, 1, a.requests)
	seconds(i.duration, r.E2E, a.ended)
	seconds(i.slot, r.SlotWait, a.common)
	seconds(i.late, r.Lag, a.common)
	if r.Outcome != httpstream.OK {
		return
	}
	first := r.TTFTAny
	if first == httpstream.NotMeasured {
		first = r.TTFT
	}
	seconds(i.firstChunk, first, a.common)
	seconds(i.ttft, r.TTFT, a.common)
	seconds(i.ttftScheduled, r.SinceDue(r.TTFT), a.common)
	seconds(i.tpot, r.TimePerOutputToken(), a.common)
	seconds(i.ttfb, r.TTFB, a.common)
	seconds(i.e2eScheduled, r.SinceDue(r.E2E), a.common)
	for _, us := range r.ContentGaps() {
		seconds(i.perChunk, time.Duration(us)*time.Microsecond, a.common)
	}
	tokens(r.InputTokens, a.input)
	tokens(r.OutputTokens, a.output)
}
