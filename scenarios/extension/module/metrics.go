package module

import (
	"errors"
	"strconv"
	"time"

	"assay.dev/k6/httpstream"
	"assay.dev/k6/record"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"
)

// metricSet are our metrics for the outputs of k6: one sample per request and never one per chunk, because a trend keeps
// and sorts every value.
type metricSet struct {
	ttft, ttftScheduled, tpot, e2e, e2eScheduled, slotWait, lag *metrics.Metric
	outcomes, tokens                                            *metrics.Metric
}

func registerMetrics(registry *metrics.Registry) (*metricSet, error) {
	var failures []error
	register := func(name string, kind metrics.MetricType, value metrics.ValueType) *metrics.Metric {
		metric, err := registry.NewMetric(name, kind, value)
		failures = append(failures, err)
		return metric
	}
	trend := func(name string) *metrics.Metric { return register(name, metrics.Trend, metrics.Time) }
	return &metricSet{
		ttft:          trend("assay_ttft"),
		ttftScheduled: trend("assay_ttft_scheduled"),
		tpot:          trend("assay_tpot"),
		e2e:           trend("assay_e2e"),
		e2eScheduled:  trend("assay_e2e_scheduled"),
		slotWait:      trend("assay_slot_wait"),
		lag:           trend("assay_schedule_lag"),
		outcomes:      register("assay_outcomes", metrics.Counter, metrics.Default),
		tokens:        register("assay_output_tokens", metrics.Counter, metrics.Default),
	}, errors.Join(failures...)
}

// tagKey is what the tags of a request depend on, unless the script gives it its own.
type tagKey struct {
	current *metrics.TagSet
	phase   string
	outcome httpstream.Outcome
	status  int
}

// tags are those of the virtual user and of the request. They are cached: to create them for each request costs more than
// all its samples.
func (e *endpoint) tags(r *record.Record, current *metrics.TagSet) *metrics.TagSet {
	key := tagKey{current, r.Phase, r.Outcome, r.Status}
	tags, known := e.tagSets[key]
	if !known {
		tags = current.With("op", r.Op).With("model", r.Model).With("phase", r.Phase).
			With("outcome", string(r.Outcome)).With("method", e.options.Method).With("status", strconv.Itoa(r.Status))
		e.tagSets[key] = tags
	}
	for _, tag := range r.Tags {
		tags = tags.With(tag.Name, tag.Value)
	}
	return tags
}

// mostSamples is the maximum number of samples of a request.
const mostSamples = 13

// samples are the measurements of a request for the outputs of k6. Only ok requests have latencies.
func (e *endpoint) samples(r *record.Record, state *lib.State) metrics.ConnectedSamples {
	current := state.Tags.GetCurrentValues()
	tags := e.tags(r, current.Tags)
	m, at := e.user.metrics, r.Sent.Add(r.E2E)
	samples := make([]metrics.Sample, 0, mostSamples)
	add := func(metric *metrics.Metric, value float64) {
		samples = append(samples, metrics.Sample{
			TimeSeries: metrics.TimeSeries{Metric: metric, Tags: tags}, Time: at, Value: value, Metadata: current.Metadata,
		})
	}
	duration := func(metric *metrics.Metric, d time.Duration) {
		if d != httpstream.NotMeasured {
			add(metric, metrics.D(d))
		}
	}
	failed := 1.0
	if r.Outcome == httpstream.OK {
		failed = 0
		duration(m.ttft, r.TTFT)
		duration(m.ttftScheduled, r.SinceScheduled(r.TTFT))
		duration(m.tpot, timePerToken(r))
		duration(m.e2e, r.E2E)
		duration(m.e2eScheduled, r.SinceScheduled(r.E2E))
		add(m.tokens, float64(max(0, r.OutputTokens)))
	}
	duration(m.slotWait, r.SlotWait)
	duration(m.lag, r.Lag)
	add(m.outcomes, 1)
	builtin := state.BuiltinMetrics
	add(builtin.HTTPReqs, 1)
	add(builtin.HTTPReqFailed, failed)
	duration(builtin.HTTPReqDuration, r.E2E)
	duration(builtin.HTTPReqWaiting, r.TTFB)
	return metrics.ConnectedSamples{Samples: samples, Tags: tags, Time: at}
}

// timePerToken is (content(n) - content(1)) / (output tokens - 1).
func timePerToken(r *record.Record) time.Duration {
	if r.Chunks < 2 || r.OutputTokens < 2 {
		return httpstream.NotMeasured
	}
	var sum int64
	for _, gap := range r.GapsUS {
		sum += gap
	}
	return time.Duration(sum) * time.Microsecond / time.Duration(r.OutputTokens-1)
}
