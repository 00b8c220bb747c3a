package runstate

import (
	"bytes"
	"cmp"
	"crypto/tls"
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
	"assay.dev/k6/route"
)

// Options are the settings of the whole run.
type Options struct {
	// Spec is that of the arrivals, of the first stream where there are several.
	Spec pacer.Spec
	// Streams are the arrivals of workloads that have their own, by the name of the k6 scenario whose virtual users take
	// them; empty where all take those of Spec.
	Streams []Stream
	Limits  httpstream.Limits
	// MemoryLimit is the memory in bytes at which the garbage collector starts; 0 leaves the choice to the output.
	MemoryLimit int64
	// Roots are the certificates to trust; nil for those of the system.
	Roots *x509.CertPool
	// Route is how requests reach their addresses.
	Route route.Route
	// WithoutHeader are names of headers that requests shall not have.
	WithoutHeader []string
	// Connections is how many connections requests over HTTP/2 share; 0: each that is under way has one of its own.
	Connections int
	// Traceparent sends a W3C traceparent header with every request.
	Traceparent bool
	// Check is the share of the arrivals whose exchanges are passed on to be checked.
	Check float64
	// Part is the part of the run that k6 shares among its execution segments.
	Part pacer.Part
	// Settings are written to the first line of the records.
	Settings json.RawMessage
	// Summary is nil for records that list their gaps.
	Summary *record.Summary

	declared declaration
}

// Stream is the arrivals of one workload.
type Stream struct {
	Scenario string
	Spec     pacer.Spec
}

// schedule is a Schedule of k6-x-assay.d.ts.
type schedule struct {
	Process     pacer.Process `json:"process"`
	Rates       []pacer.Stage `json:"rates"`
	CV          float64       `json:"cv"`
	WarmupMS    float64       `json:"warmupMs"`
	DurationMS  float64       `json:"durationMs"`
	MaxArrivals int64         `json:"maxArrivals"`
	Seed        int64         `json:"seed"`
	StartAtMS   float64       `json:"startAtMs"`
	Users       int64         `json:"users"`
	RampUpMS    float64       `json:"rampUpMs"`
	HandsOver   bool          `json:"handsOver"`
}

func (s schedule) spec(now time.Time) pacer.Spec {
	spec := pacer.Spec{
		Process: s.Process, Rates: s.Rates, CV: s.CV,
		Warmup: FromMilliseconds(s.WarmupMS), Duration: FromMilliseconds(s.DurationMS),
		Users: s.Users, RampUp: FromMilliseconds(s.RampUpMS),
		MaxArrivals: s.MaxArrivals, Seed: uint64(s.Seed), HandsOver: s.HandsOver,
	}
	if s.StartAtMS > 0 {
		// By the clock of now: it may be set while virtual users are made, and while they wait.
		spec.StartAt = now.Add(time.UnixMicro(int64(s.StartAtMS * 1000)).Sub(now))
	}
	return spec
}

// declaration is the argument of configure(); see RunOptions in k6-x-assay.d.ts.
type declaration struct {
	Schedule schedule `json:"schedule"`
	Streams  []struct {
		Scenario string   `json:"scenario"`
		Schedule schedule `json:"schedule"`
	} `json:"streams"`
	StallMS          float64         `json:"stallMs"`
	TimeoutMS        float64         `json:"timeoutMs"`
	MemoryLimitBytes int64           `json:"memoryLimitBytes"`
	CAFile           string          `json:"caFile"`
	ClientCert       string          `json:"clientCert"`
	ClientKey        string          `json:"clientKey"`
	Resolve          []string        `json:"resolve"`
	WithoutHeader    []string        `json:"withoutHeader"`
	Traceparent      bool            `json:"traceparent"`
	H2Connections    int             `json:"h2Connections"`
	Check            float64         `json:"check"`
	Segment          pacer.Part      `json:"segment"`
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
		Spec:          d.Schedule.spec(now),
		Limits:        httpstream.Limits{Stall: FromMilliseconds(d.StallMS), Timeout: FromMilliseconds(d.TimeoutMS)},
		MemoryLimit:   d.MemoryLimitBytes,
		Traceparent:   d.Traceparent,
		Connections:   d.H2Connections,
		WithoutHeader: d.WithoutHeader,
		Check:         d.Check,
		Part:          d.Segment,
		Settings:      d.Settings,
		Summary:       d.Summary,
		declared:      d,
	}
	for _, stream := range d.Streams {
		spec := stream.Schedule.spec(now)
		if err := checkStream(stream.Scenario, spec); err != nil {
			return nil, err
		}
		options.Streams = append(options.Streams, Stream{stream.Scenario, spec})
	}
	if err := options.Part.Check(); err != nil {
		return nil, err
	}
	if err := options.Spec.CheckStart(now); err != nil {
		return nil, err
	}
	if err := checkUnread(options.Spec); err != nil {
		return nil, err
	}
	if options.Limits.Stall < 0 || options.Limits.Timeout < 0 || options.MemoryLimit < 0 {
		return nil, fmt.Errorf("cannot apply stallMs %v, timeoutMs %v and memoryLimitBytes %v: give 0 or more",
			d.StallMS, d.TimeoutMS, d.MemoryLimitBytes)
	}
	return options, nil
}

// checkStream returns what makes the arrivals of a workload unusable.
func checkStream(scenario string, spec pacer.Spec) error {
	if err := checkUnread(spec); err != nil {
		return fmt.Errorf("workload %s: %w", scenario, err)
	}
	return nil
}

// checkUnread checks what is known before traces are read.
func checkUnread(spec pacer.Spec) error {
	if spec.Process == pacer.Replay {
		return nil
	}
	return spec.Check()
}

// TraceReader reads the trace of a replay: that of the stream at a position, 0 where there is only one.
type TraceReader func(stream int) (*pacer.Trace, error)

// load reads the files that the options name, once per process.
func (o *Options) load(trace TraceReader) error {
	if len(o.Streams) == 0 {
		if err := loadTrace(&o.Spec, 0, trace); err != nil {
			return err
		}
	}
	for position := range o.Streams {
		if err := loadTrace(&o.Streams[position].Spec, position, trace); err != nil {
			return err
		}
	}
	if err := o.Route.Resolve(o.declared.Resolve); err != nil {
		return err
	}
	return o.loadRoots()
}

func loadTrace(spec *pacer.Spec, stream int, read TraceReader) (err error) {
	if spec.Process != pacer.Replay {
		return nil
	}
	if read == nil {
		return errors.New("cannot replay a trace: there is none; pass a function that returns it to configure()")
	}
	if spec.Trace, err = read(stream); err != nil {
		return err
	}
	return spec.Check()
}

// TraceOf is the trace that an arrival of the run is of, nil without one, and its number among the arrivals of its stream.
func (o *Options) TraceOf(index int64) (*pacer.Trace, int64) {
	count := int64(len(o.Streams))
	if count == 0 {
		return o.Spec.Trace, index
	}
	return o.Streams[index%count].Spec.Trace, index / count
}

// SessionOf is the number of the session of an arrival, which is that of its first arrival.
func (o *Options) SessionOf(index int64) int64 {
	trace, within := o.TraceOf(index)
	count := max(1, int64(len(o.Streams)))
	return trace.SessionOf(within)*count + index%count
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
	if !o.Roots.AppendCertsFromPEM(bytes.TrimPrefix(pem, []byte("\ufeff"))) {
		return fmt.Errorf("cannot read the certificates of caFile %s: it contains no certificate; give a PEM file", o.declared.CAFile)
	}
	return nil
}

// follow takes over how Assay itself reaches the target; without that, the files that the options name are read.
func (o *Options) follow(told *route.Told) error {
	o.Route.Told = told
	if told != nil && told.Certificates != "" {
		o.Roots = x509.NewCertPool()
		o.Roots.AppendCertsFromPEM([]byte(told.Certificates))
	}
	var (
		pair tls.Certificate
		err  error
		key  = cmp.Or(o.declared.ClientKey, o.declared.ClientCert)
	)
	switch {
	case told != nil && told.ClientCert != "":
		pair, err = tls.X509KeyPair([]byte(told.ClientCert), []byte(told.ClientKey))
	case told == nil && o.declared.ClientCert != "":
		pair, err = tls.LoadX509KeyPair(o.declared.ClientCert, key)
	default:
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot use the client certificate %s with the key of %s: %w", o.declared.ClientCert, key, err)
	}
	o.Route.Client = &pair
	return nil
}

// stream is the position of the stream whose arrivals the virtual users of a k6 scenario take.
func (o *Options) stream(scenario string) (int, error) {
	if len(o.Streams) == 0 {
		return 0, nil
	}
	for position, stream := range o.Streams {
		if stream.Scenario == scenario {
			return position, nil
		}
	}
	return 0, fmt.Errorf("cannot hand out arrivals to the k6 scenario %q: no workload has that name", scenario)
}

// SpecOf is that of the arrivals that the virtual users of a k6 scenario take.
func (o *Options) SpecOf(scenario string) (pacer.Spec, error) {
	position, err := o.stream(scenario)
	if err != nil || len(o.Streams) == 0 {
		return o.Spec, err
	}
	return o.Streams[position].Spec, nil
}

// pacers returns those of all streams, for a segment of the run.
func (o *Options) pacers(segment pacer.Segment) (*pacer.Group, error) {
	specs := []pacer.Spec{o.Spec}
	if len(o.Streams) > 0 {
		specs = nil
		for _, stream := range o.Streams {
			specs = append(specs, stream.Spec)
		}
	}
	for i := range specs {
		specs[i].Segment = segment
		if err := specs[i].CheckStart(time.Now()); err != nil {
			return nil, err
		}
	}
	return pacer.NewGroup(specs)
}

// FromMilliseconds returns the duration that JavaScript gives in milliseconds, to the nanosecond.
func FromMilliseconds(ms float64) time.Duration {
	return time.Duration(math.Round(ms * float64(time.Millisecond)))
}
