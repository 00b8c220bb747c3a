// Package otlp is the k6 output assay-otlp. It sends the metrics of a run to an OTLP receiver while it goes on, as
// histograms under the names of the semantic conventions of OpenTelemetry for generative AI. The output of k6 cannot: its
// metrics have no such names, and it gets every value one by one.
//
// Where to send to, headers and certificates come from the standard variables, OTEL_EXPORTER_OTLP_… .
package otlp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"assay.dev/k6/record"
	"assay.dev/k6/runstate"
	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/metrics"
	"go.k6.io/k6/v2/output"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
)

// Name is the name of the output for --out. It is also the field output of its lines in the log.
const Name = "assay-otlp"

const (
	// exportEvery is the time between two exports, unless OTEL_METRIC_EXPORT_INTERVAL is set.
	exportEvery = 5 * time.Second
	// exportWithin is how long an export may take, unless OTEL_METRIC_EXPORT_TIMEOUT is set.
	exportWithin = 5 * time.Second
	// endWithin is how long the last export may take: the results of the run are written already.
	endWithin = 10 * time.Second
)

// Output sends the metrics of one run.
type Output struct {
	run    *runstate.Run
	env    map[string]string
	log    logrus.FieldLogger
	id     string
	meters *sdk.MeterProvider

	instruments *instruments
	known       sync.Map // of key to *attributes
	server      func() []attribute.KeyValue
}

// New returns the constructor that k6 calls.
func New(r *runstate.Run) output.Constructor {
	return func(params output.Params) (output.Output, error) {
		o := &Output{run: r, env: params.Environment, log: params.Logger.WithField("output", Name), id: params.ConfigArgument}
		o.server = sync.OnceValue(o.serverAttributes)
		return o, nil
	}
}

// Description implements [output.Output].
func (o *Output) Description() string { return Name }

// Start begins to export. It does not connect: a receiver that is down is an error in the log, and not one of the run.
func (o *Output) Start() error {
	exporter, err := o.exporter(context.Background())
	if err != nil {
		return errext.WithExitCodeIfNone(fmt.Errorf("cannot send metrics over OTLP: %w", err), exitcodes.InvalidConfig)
	}
	// The error of each export that fails; it must not go to the standard error of k6, where it would not be redacted.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(o.failed))
	o.meters = sdk.NewMeterProvider(sdk.WithResource(o.resource()), sdk.WithReader(sdk.NewPeriodicReader(exporter, o.pace()...)))
	if o.instruments, err = newInstruments(o.meters.Meter("assay")); err != nil {
		return fmt.Errorf("cannot create the metrics for OTLP: %w", err)
	}
	o.run.RecordTo(o.add)
	return nil
}

func (o *Output) failed(err error) {
	o.log.WithError(errors.New(o.run.Redact(explained(err)))).Error("Cannot export metrics")
}

// explained says what the SDK means by a failure after which it would try again: it leaves the status out.
func explained(err error) string {
	return strings.Replace(err.Error(), "retry-able request failure",
		"the receiver responded with 429, 502, 503 or 504, so it is too busy or not ready", 1)
}

// exporter follows OTEL_EXPORTER_OTLP_METRICS_PROTOCOL and OTEL_EXPORTER_OTLP_PROTOCOL, of which the SDK leaves the choice to us.
func (o *Output) exporter(ctx context.Context) (sdk.Exporter, error) {
	protocol := o.env["OTEL_EXPORTER_OTLP_METRICS_PROTOCOL"]
	if protocol == "" {
		protocol = o.env["OTEL_EXPORTER_OTLP_PROTOCOL"]
	}
	switch protocol {
	case "", "http/protobuf":
		// A repeated export would only delay the next one, which has all that it had.
		return otlpmetrichttp.New(ctx, otlpmetrichttp.WithRetry(otlpmetrichttp.RetryConfig{}))
	case "grpc":
		return otlpmetricgrpc.New(ctx, otlpmetricgrpc.WithRetry(otlpmetricgrpc.RetryConfig{}))
	default:
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is %q; give http/protobuf or grpc", protocol)
	}
}

func (o *Output) pace() (options []sdk.PeriodicReaderOption) {
	if o.env["OTEL_METRIC_EXPORT_INTERVAL"] == "" {
		options = append(options, sdk.WithInterval(exportEvery))
	}
	if o.env["OTEL_METRIC_EXPORT_TIMEOUT"] == "" {
		options = append(options, sdk.WithTimeout(exportWithin))
	}
	return options
}

// resource names the run, so that two of them are two time series; OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES come first.
func (o *Output) resource() *resource.Resource {
	own := []attribute.KeyValue{attribute.String("service.name", "assay")}
	if o.id != "" {
		own = append(own, attribute.String("service.instance.id", o.id))
	}
	whole, err := resource.New(context.Background(),
		resource.WithAttributes(own...), resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		o.failed(err)
	}
	return whole
}

// serverAttributes are those of the target, which the settings of the run name.
func (o *Output) serverAttributes() []attribute.KeyValue {
	var settings struct {
		Target string `json:"target"`
	}
	options := o.run.Options()
	if options == nil || json.Unmarshal(options.Settings, &settings) != nil {
		return nil
	}
	address, err := url.Parse(settings.Target)
	if err != nil || address.Hostname() == "" {
		return nil
	}
	port, err := strconv.Atoi(address.Port())
	if err != nil {
		port = map[string]int{"http": 80, "https": 443}[address.Scheme]
	}
	return []attribute.KeyValue{attribute.String("server.address", address.Hostname()), attribute.Int("server.port", port)}
}

// add counts a request, in the goroutine of its virtual user: what it costs is spread over the run.
func (o *Output) add(r *record.Record) {
	k := keyOf(r)
	made, known := o.known.Load(k)
	if !known {
		made, _ = o.known.LoadOrStore(k, k.attributes(o.server()))
	}
	if a, ok := made.(*attributes); ok {
		o.instruments.add(r, a)
	}
}

// AddMetricSamples implements [output.Output]; requests do not come from k6's samples.
func (o *Output) AddMetricSamples([]metrics.SampleContainer) {}

// Stop sends what is left.
func (o *Output) Stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), endWithin)
	defer cancel()
	if err := o.meters.Shutdown(ctx); err != nil && !errors.Is(err, sdk.ErrReaderShutdown) {
		o.failed(err)
	}
	return nil
}
