package module

import (
	"errors"
	"strconv"
	"time"

	"assay.dev/k6/record"
	"assay.dev/k6/wire"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"
)

// metricSet are our metrics for k6's own outputs: one sample a request, never one a chunk, because a trend keeps and
// sorts every value.
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

// Exchange is one request as k6 sees it: samples for any output, and the record for ours.
type Exchange struct {
	metrics.ConnectedSamples
	Record *record.Record
}

// exchange makes the samples of a record. Latencies are those of ok requests only.
func (m *metricSet) exchange(r *record.Record, method string, state *lib.State) Exchange {
	current := state.Tags.GetCurrentValues()
	tags := current.Tags.With("op", r.Op).With("model", r.Model).With("phase", r.Phase).
		With("outcome", string(r.Outcome)).With("method", method).With("status", strconv.Itoa(r.Status))
	for _, tag := range r.Tags {
		tags = tags.With(tag.Name, tag.Value)
	}
	at := r.Sent.Add(r.E2E)
	var samples []metrics.Sample
	add := func(metric *metrics.Metric, value float64) {
		samples = append(samples, metrics.Sample{
			TimeSeries: metrics.TimeSeries{Metric: metric, Tags: tags}, Time: at, Value: value, Metadata: current.Metadata,
		})
	}
	duration := func(metric *metrics.Metric, d time.Duration) {
		if d != wire.NotMeasured {
			add(metric, metrics.D(d))
		}
	}
	failed := 1.0
	if r.Outcome == wire.OK {
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
	return Exchange{metrics.ConnectedSamples{Samples: samples, Tags: tags, Time: at}, r}
}

// timePerToken is (content(n) - content(1)) / (output tokens - 1).
func timePerToken(r *record.Record) time.Duration {
	if r.Chunks < 2 || r.OutputTokens < 2 {
		return wire.NotMeasured
	}
	var sum int64
	for _, gap := range r.GapsUS {
		sum += gap
	}
	return time.Duration(sum) * time.Microsecond / time.Duration(r.OutputTokens-1)
}
