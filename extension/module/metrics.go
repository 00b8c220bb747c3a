package module

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"assay.dev/k6/httpstream"
	"assay.dev/k6/record"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"
)

// metricSet are our metrics for the outputs of k6. A request gives one value of each, and not one per chunk, because most
// outputs keep, sort or write every value: only where trends become histograms is every gap a value of icl.
type metricSet struct {
	ttft, ttftScheduled, tpot, ttfb, e2e, e2eScheduled, slotWait, lag *metrics.Metric
	icl, iclMean, iclMax                                              *metrics.Metric
	outcomes, inputTokens, outputTokens                               *metrics.Metric
	everyGap                                                          bool
	unused                                                            bool
}

// noSamplesVariable says that no output takes samples: k6 itself would look at each for a check.
const noSamplesVariable = "ASSAY_NO_SAMPLES"

// featuresVariable holds the feature flags of k6.
const featuresVariable = "K6_FEATURES"

// histograms reports whether the outputs of this run make histograms of trends.
func histograms() bool {
	return strings.Contains(os.Getenv(featuresVariable), "native-histograms")
}

func registerMetrics(registry *metrics.Registry) (*metricSet, error) {
	var failures []error
	register := func(name string, kind metrics.MetricType, value metrics.ValueType) *metrics.Metric {
		metric, err := registry.NewMetric(name, kind, value)
		failures = append(failures, err)
		return metric
	}
	trend := func(name string) *metrics.Metric { return register(name, metrics.Trend, metrics.Time) }
	counter := func(name string) *metrics.Metric { return register(name, metrics.Counter, metrics.Default) }
	return &metricSet{
		ttft:          trend("assay_ttft"),
		ttftScheduled: trend("assay_ttft_scheduled"),
		icl:           trend("assay_icl"),
		iclMean:       trend("assay_icl_mean"),
		iclMax:        trend("assay_icl_max"),
		tpot:          trend("assay_tpot"),
		ttfb:          trend("assay_ttfb"),
		e2e:           trend("assay_e2e"),
		e2eScheduled:  trend("assay_e2e_scheduled"),
		slotWait:      trend("assay_slot_wait"),
		lag:           trend("assay_schedule_lag"),
		outcomes:      counter("assay_outcomes"),
		inputTokens:   counter("assay_input_tokens"),
		outputTokens:  counter("assay_output_tokens"),
		everyGap:      histograms(),
		unused:        os.Getenv(noSamplesVariable) == "1",
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
	e.tagsMu.Lock()
	defer e.tagsMu.Unlock()
	tags, known := e.tagSets[key]
	if !known {
		tags = current.With("op", r.Op).With("model", r.Model).With("phase", r.Phase).
			With("outcome", string(r.Outcome)).With("method", e.options.Method).With("status", strconv.Itoa(r.Status))
		if r.Workload != "" {
			tags = tags.With("workload", r.Workload)
		}
		e.tagSets[key] = tags
	}
	for _, tag := range r.Tags {
		tags = tags.With(tag.Name, tag.Value)
	}
	return tags
}

// mostSamples is the maximum number of samples of a request, without its gaps.
const mostSamples = 17

// samples are the measurements of a request for the outputs of k6. They are computed when an output asks for them: a run
// without such an output does not pay for them.
type samples struct {
	of       *record.Record
	tags     *metrics.TagSet
	metadata map[string]string
	metrics  *metricSet
	builtin  *metrics.BuiltinMetrics
}

// sampler makes the samples of a request.
type sampler func(*record.Record) samples

// sampler returns that of requests with the tags that the virtual user has now; nil where nothing takes samples.
func (e *endpoint) sampler(state *lib.State) sampler {
	if e.user.metrics.unused {
		return nil
	}
	current := state.Tags.GetCurrentValues()
	return func(r *record.Record) samples {
		return samples{r, e.tags(r, current.Tags), current.Metadata, e.user.metrics, state.BuiltinMetrics}
	}
}

// push hands the samples of a request to the outputs. At the end of a run, which k6 does not wait for, they are dropped
// only where the outputs are busy.
func (s samples) push(ctx context.Context, to chan<- metrics.SampleContainer) {
	if metrics.PushIfNotDone(ctx, to, s) {
		return
	}
	select {
	case to <- s:
	default:
	}
}

// GetSamples implements [metrics.SampleContainer]. Only ok requests have latencies.
func (s samples) GetSamples() []metrics.Sample {
	r, m, at := s.of, s.metrics, s.of.Sent.Add(s.of.E2E)
	var gaps []int64
	if m.everyGap {
		gaps = r.ContentGaps()
	}
	all := make([]metrics.Sample, 0, mostSamples+len(gaps))
	add := func(metric *metrics.Metric, value float64) {
		all = append(all, metrics.Sample{
			TimeSeries: metrics.TimeSeries{Metric: metric, Tags: s.tags}, Time: at, Value: value, Metadata: s.metadata,
		})
	}
	duration := func(metric *metrics.Metric, d time.Duration) {
		if d != httpstream.NotMeasured {
			add(metric, metrics.D(d))
		}
	}
	count := func(metric *metrics.Metric, n int) {
		if n != httpstream.Unknown {
			add(metric, float64(n))
		}
	}
	failed := 1.0
	if r.Outcome == httpstream.Left {
		failed = 0
	}
	if r.Outcome == httpstream.OK {
		failed = 0
		duration(m.ttft, r.TTFT)
		duration(m.ttftScheduled, r.SinceDue(r.TTFT))
		duration(m.tpot, r.TimePerOutputToken())
		duration(m.iclMean, r.MeanGap())
		duration(m.iclMax, r.LongestGap())
		duration(m.ttfb, r.TTFB)
		duration(m.e2e, r.E2E)
		duration(m.e2eScheduled, r.SinceDue(r.E2E))
		count(m.inputTokens, r.InputTokens)
		count(m.outputTokens, r.OutputTokens)
		for _, us := range gaps {
			add(m.icl, float64(us)/1000)
		}
	}
	duration(m.slotWait, r.SlotWait)
	duration(m.lag, r.Lag)
	add(m.outcomes, 1)
	add(s.builtin.HTTPReqs, 1)
	add(s.builtin.HTTPReqFailed, failed)
	duration(s.builtin.HTTPReqDuration, r.E2E)
	duration(s.builtin.HTTPReqWaiting, r.TTFB)
	return all
}
