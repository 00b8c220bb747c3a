package sample

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"assay.dev/k6/httpstream"
	"assay.dev/k6/record"
)

// probe stands for the probe of exchanges that no probe sent.
const probe = "load"

// line is a line of exchanges.jsonl (formats/exchanges.ts), before secrets are taken out of it.
type line struct {
	ID        int64    `json:"id"`
	Probe     string   `json:"probe"`
	Request   request  `json:"request"`
	Answer    *answer  `json:"answer,omitempty"`
	Failure   *failure `json:"failure,omitempty"`
	StartedAt string   `json:"startedAt"`
}

type request struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Body    *string           `json:"body,omitempty"`
}

type answer struct {
	Status    int               `json:"status"`
	Headers   map[string]string `json:"headers"`
	Body      string            `json:"body"`
	Base64    string            `json:"base64,omitempty"`
	Truncated bool              `json:"truncated"`
	Chunks    []chunk           `json:"chunks"`
	HeadersMS float64           `json:"headersMs"`
	EndMS     float64           `json:"endMs"`
}

type chunk struct {
	AtMS  float64 `json:"atMs"`
	Bytes int     `json:"bytes"`
}

type failure struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// lineOf is an exchange as JSON, with its line end.
func lineOf(e exchange) []byte {
	sent := request{Method: e.request.Method, URL: e.request.URL.String(), Headers: headersOf(e.request.Header)}
	if e.request.Body != nil {
		body := strings.ToValidUTF8(string(e.request.Body), "�")
		sent.Body = &body
	}
	return encoded(line{
		ID: e.id, Probe: probe, Request: sent, Answer: answerOf(e.result), Failure: failureOf(e.result),
		StartedAt: record.Instant(e.result.Sent),
	})
}

// lastLine says how many exchanges there were.
func lastLine(count Counts) []byte { return encoded(count) }

func encoded(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // texts and numbers can be written
	return out.Bytes()
}

func answerOf(result *httpstream.Result) *answer {
	kept := result.Kept
	if kept == nil {
		return nil
	}
	a := &answer{
		Status: result.Status, Headers: headersOf(kept.Header), Body: string(kept.Body), Truncated: kept.Truncated,
		Chunks: []chunk{}, HeadersMS: milliseconds(result.TTFB), EndMS: milliseconds(result.E2E),
	}
	if !utf8.Valid(kept.Body) {
		a.Body, a.Base64 = strings.ToValidUTF8(a.Body, "�"), base64.StdEncoding.EncodeToString(kept.Body)
	}
	for _, each := range kept.Chunks {
		a.Chunks = append(a.Chunks, chunk{milliseconds(each.At), each.Bytes})
	}
	return a
}

// kinds of failures, as in formats/exchanges.ts; of any other outcome it is other.
var kinds = map[httpstream.Outcome]string{
	// What the load ended itself is no evidence.
	httpstream.Cancelled: "client", httpstream.Left: "client", httpstream.TimedOut: "client", httpstream.Stalled: "client", httpstream.TooLarge: "client",
	httpstream.Refused: "refused", httpstream.Reset: "reset", httpstream.Truncated: "reset", httpstream.TLS: "tls",
	httpstream.ClientError: "machine",
}

// failureOf says why a response did not come to its end; nil when it did.
func failureOf(result *httpstream.Result) *failure {
	if result.Kept != nil && result.Kept.Whole {
		return nil
	}
	kind, known := kinds[result.Outcome]
	if !known {
		kind = "other"
	}
	return &failure{kind, result.Detail}
}

// headersOf joins several headers of one name, and writes names in lower case.
func headersOf(header http.Header) map[string]string {
	headers := make(map[string]string, len(header))
	for name, values := range header {
		headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return headers
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
