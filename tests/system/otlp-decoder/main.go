// Command otlp-decoder reads a request for the export of metrics in OTLP's binary encoding from its standard input, with the
// decoder of the OpenTelemetry Collector, and prints it in OTLP's JSON encoding, so that a test can read it.
package main

import (
	"io"
	"log"
	"os"

	"go.opentelemetry.io/collector/pdata/pmetric"
)

func main() {
	if err := decode(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func decode(from io.Reader, to io.Writer) error {
	request, err := io.ReadAll(from)
	if err != nil {
		return err
	}
	metrics, err := (&pmetric.ProtoUnmarshaler{}).UnmarshalMetrics(request)
	if err != nil {
		return err
	}
	text, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(metrics)
	if err != nil {
		return err
	}
	_, err = to.Write(text)
	return err
}
