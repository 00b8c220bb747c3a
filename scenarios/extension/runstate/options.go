package runstate

import (
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"assay.dev/k6/httpstream"
	"assay.dev/k6/pacer"
	"assay.dev/k6/record"
)

// Options are the settings of the whole run.
type Options struct {
	Spec   pacer.Spec
	Limits httpstream.Limits
	// MemoryLimit is the memory in bytes at which the garbage collector starts; 0 leaves the choice to the output.
	MemoryLimit int64
	// Roots are the certificates to trust; nil for those of the system.
	Roots *x509.CertPool
	// Traceparent sends a W3C traceparent header with every request.
	Traceparent bool
	// Settings are written to the first line of the records.
	Settings json.RawMessage
	// Summary is nil for records that list their gaps.
	Summary *record.Summary

	declared declaration
}

// declaration is the argument of configure(); see RunOptions in k6-x-assay.d.ts.
type declaration struct {
	Schedule struct {
		Process     pacer.Process `json:"process"`
		Rates       []pacer.Stage `json:"rates"`
		CV          float64       `json:"cv"`
		WarmupMS    float64       `json:"warmupMs"`
		DurationMS  float64       `json:"durationMs"`
		MaxArrivals int64         `json:"maxArrivals"`
		Seed        int64         `json:"seed"`
		StartAtMS   float64       `json:"startAtMs"`
	} `json:"schedule"`
	StallMS          float64         `json:"stallMs"`
	TimeoutMS        float64         `json:"timeoutMs"`
	MemoryLimitBytes int64           `json:"memoryLimitBytes"`
	CAFile           string          `json:"caFile"`
	Traceparent      bool            `json:"traceparent"`
	Settings         json.RawMessage `json:"settings"`
	Summary          *record.Summary `json:"gapSummary"`
}

// ParseOptions reads the options of configure() from JSON.
func ParseOptions(data []byte) (*Options, error) {
	var d declaration
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, fmt.Errorf("cannot read the options of configure(): %w", err)
	}
	now := time.Now()
	options := &Options{
		Spec: pacer.Spec{
			Process: d.Schedule.Process, Rates: d.Schedule.Rates, CV: d.Schedule.CV,
			Warmup: FromMilliseconds(d.Schedule.WarmupMS), Duration: FromMilliseconds(d.Schedule.DurationMS),
			MaxArrivals: d.Schedule.MaxArrivals, Seed: uint64(d.Schedule.Seed),
		},
		Limits:      httpstream.Limits{Stall: FromMilliseconds(d.StallMS), Timeout: FromMilliseconds(d.TimeoutMS)},
		MemoryLimit: d.MemoryLimitBytes,
		Traceparent: d.Traceparent,
		Settings:    d.Settings,
		Summary:     d.Summary,
		declared:    d,
	}
	if d.Schedule.StartAtMS > 0 {
		// By the clock of now: it may be set while virtual users are made, and while they wait.
		options.Spec.StartAt = now.Add(time.UnixMicro(int64(d.Schedule.StartAtMS * 1000)).Sub(now))
	}
	if err := options.Spec.CheckStart(now); err != nil {
		return nil, err
	}
	if options.Spec.Process != pacer.Replay { // whose trace is not read yet
		if err := options.Spec.Check(); err != nil {
			return nil, err
		}
	}
	if options.Limits.Stall < 0 || options.Limits.Timeout < 0 || options.MemoryLimit < 0 {
		return nil, fmt.Errorf("cannot apply stallMs %v, timeoutMs %v and memoryLimitBytes %v: give 0 or more",
			d.StallMS, d.TimeoutMS, d.MemoryLimitBytes)
	}
	return options, nil
}

// TraceReader reads the trace of a replay.
type TraceReader func() (*pacer.Trace, error)

// load reads the files that the options name, once per process.
func (o *Options) load(trace TraceReader) error {
	if err := o.loadTrace(trace); err != nil {
		return err
	}
	return o.loadRoots()
}

func (o *Options) loadTrace(read TraceReader) (err error) {
	if o.Spec.Process != pacer.Replay {
		return nil
	}
	if read == nil {
		return errors.New("cannot replay a trace: there is none; pass a function that returns it to configure()")
	}
	if o.Spec.Trace, err = read(); err != nil {
		return err
	}
	return o.Spec.Check()
}

func (o *Options) loadRoots() error {
	if o.declared.CAFile == "" {
		return nil
	}
	pem, err := os.ReadFile(o.declared.CAFile)
	if err != nil {
		return fmt.Errorf("cannot read the certificates of caFile: %w", err)
	}
	if o.Roots, err = x509.SystemCertPool(); err != nil {
		o.Roots = x509.NewCertPool()
	}
	if !o.Roots.AppendCertsFromPEM(pem) {
		return fmt.Errorf("cannot read the certificates of caFile %s: it contains no certificate; give a PEM file", o.declared.CAFile)
	}
	return nil
}

// FromMilliseconds returns the duration that JavaScript gives in milliseconds, to the nanosecond.
func FromMilliseconds(ms float64) time.Duration {
	return time.Duration(math.Round(ms * float64(time.Millisecond)))
}
