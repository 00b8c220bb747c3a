// Package output is the k6 output assay=DIR. It writes into DIR what a run measured: records.jsonl, client.jsonl and
// tasks.jsonl.
package output

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"assay.dev/k6/health"
	"assay.dev/k6/module"
	"assay.dev/k6/pacer"
	"assay.dev/k6/record"
	"assay.dev/k6/redact"
	"assay.dev/k6/runstate"
	"assay.dev/k6/sample"
	"assay.dev/k6/system"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"
	"go.k6.io/k6/v2/output"
)

// Name is the name of the output for --out, before the folder.
const Name = "assay"

// Output writes the files of one run.
type Output struct {
	run     *runstate.Run
	dir     string
	cluster string
	k6      lib.Options
	limit   int   // requests that may be in flight
	memory  int64 // available memory in bytes, of the time before virtual users were made; 0 when it is not known
	stopRun func(error)

	digest    <-chan string // SHA-256 of this program
	records   *record.Writer
	client    io.WriteCloser
	tasks     io.Closer
	wakes     *health.Wakes
	sampler   *health.Sampler
	collector *system.Collector
}

// runTag is the tag that k6-operator gives to all requests of a run: its name.
const runTag = "testrun_name"

// New returns the constructor that k6 calls.
func New(r *runstate.Run) output.Constructor {
	return func(params output.Params) (output.Output, error) {
		if params.ConfigArgument == "" {
			return nil, invalid(fmt.Errorf("no folder was given; write --out %s=DIR with a folder that exists", Name))
		}
		o := &Output{
			run: r, dir: params.ConfigArgument, memory: system.Available(), stopRun: func(error) {},
			limit: int(lib.GetMaxPossibleVUs(params.ExecutionPlan)), k6: params.ScriptOptions,
		}
		o.cluster = params.ScriptOptions.RunTags[runTag]
		return o, nil
	}
}

// Description implements [output.Output].
func (o *Output) Description() string { return fmt.Sprintf("%s (%s)", Name, o.dir) }

// SetTestRunStopCallback implements [output.WithTestRunStop].
func (o *Output) SetTestRunStopCallback(stop func(error)) { o.stopRun = stop }

// Start opens the files. The clock of the run starts later, with the first request.
func (o *Output) Start() error {
	records, client, tasks, err := create(o.dir)
	if err != nil {
		return invalid(err)
	}
	o.digest = system.Digest()
	o.records = record.NewWriter(records, o.broken)
	o.run.RecordTo(o.records.Add)
	o.run.Arrivals.WriteTo(o.records.AddArrival)
	o.client, o.tasks = client, tasks
	o.run.Journal.WriteTo(tasks, o.run.Redact, o.broken)
	o.run.OnBegin(o.begin)
	return nil
}

// begin disables the collector, now that the virtual users are made, and writes the first lines.
func (o *Output) begin() {
	options, limit := o.run.Options(), o.memory/2
	if options != nil && options.MemoryLimit > 0 {
		limit = options.MemoryLimit
	}
	o.collector = system.DisableCollector(limit, o.run.IdleFor)
	o.run.Counters.Idle, o.run.Counters.Streams = o.collector.Opportunity, o.collector.Streams
	if options != nil {
		o.run.Sample.Start(sample.OpenPipe(os.Getenv), options.Check, options.Spec.Seed)
	}
	at := time.Now()
	header := record.Header{Settings: json.RawMessage("{}"), Segment: module.SegmentName(o.k6, o.run.Part()), Run: o.cluster, K6: version(), K6SHA256: <-o.digest, StartedAt: record.Instant(at)}
	var summary *record.Summary
	if options != nil {
		header.Seed, summary = options.Spec.Seed, options.Summary
		if len(options.Settings) > 0 {
			header.Settings = redact.JSON(options.Settings, o.run.Redact)
		}
	}
	if err := o.records.Begin(header, summary); err != nil {
		o.broken(err)
	}
	o.wakes = health.StartWakes()
	o.sampler = health.StartSampler(o.client, health.Sources{
		Counters: &o.run.Counters, Wakes: o.wakes, Pacers: o.run.Pacers, MemoryLimit: o.collector.Limit, InFlightLimit: o.limit,
		Ended: o.run.Arrivals.TakeEnded, Sampled: o.sampled,
	}, at, o.broken)
}

// sampled looks at the memory, once per second.
func (o *Output) sampled(collections int64, heap system.Heap) {
	o.collector.Observe(collections, heap)
	if err := system.Exhausted(heap.Now, o.memory); err != nil {
		o.broken(err)
	}
}

// AddMetricSamples implements [output.Output]; records do not come from k6's samples.
func (o *Output) AddMetricSamples([]metrics.SampleContainer) {}

// Stop implements [output.Output]; k6 calls StopWithTestError instead.
func (o *Output) Stop() error { return o.StopWithTestError(nil) }

// StopWithTestError writes what is left and closes the files, however the run ended.
func (o *Output) StopWithTestError(stopped error) error {
	o.run.Begin()
	o.closeArrivals()
	o.run.Sample.Close()
	o.wakes.Stop()
	if stopped != nil {
		stopped = errors.New(o.run.Redact(stopped.Error()))
	}
	count, err := o.records.Close()
	if clientErr := o.sampler.Close(health.End{Records: count, Broken: err, Stopped: stopped}); err == nil {
		err = clientErr
	}
	if tasksErr := o.tasks.Close(); err == nil {
		err = tasksErr
	}
	o.collector.Restore()
	return err
}

// closeArrivals ends the schedule, and writes which arrivals did not start or did not come to their end.
func (o *Output) closeArrivals() {
	var neverStarted []pacer.Arrival
	if p := o.run.Pacers(); p != nil {
		p.Close()
		neverStarted = p.NotStarted()
	}
	o.run.Arrivals.Close(neverStarted)
}

// broken ends the run: what cannot be written must not be measured.
func (o *Output) broken(err error) {
	o.stopRun(errext.WithExitCodeIfNone(err, exitcodes.ScriptAborted))
}

func invalid(err error) error { return errext.WithExitCodeIfNone(err, exitcodes.InvalidConfig) }

// version is the version of k6 in this binary.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "go.k6.io/k6/v2" {
				return module.Version
			}
		}
	}
	return "unknown"
}
