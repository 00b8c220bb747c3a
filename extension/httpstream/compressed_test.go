package httpstream

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http"
	"strings"
	"testing"

	"assay.dev/k6/expect"
)

func TestACompressedResponseIsNamedAsSuch(t *testing.T) {
	zip := func(text string) string {
		var out bytes.Buffer
		writer := gzip.NewWriter(&out)
		if _, err := writer.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := writer.Close(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	coded := func(status, media, coding, body string) []step {
		head := "HTTP/1.1 " + status + "\r\nContent-Type: " + media + "\r\nContent-Encoding: " + coding + "\r\nTransfer-Encoding: chunked\r\n\r\n"
		return []step{send(head), chunked(body), send(last)}
	}
	const task = `{"id":"t1"}`
	const events = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n\n"
	const says = "came compressed (content-encoding gzip), although identity was asked for."
	for _, tt := range []struct {
		name   string
		stream bool
		script []step
		want   Outcome
		detail string
	}{
		{"JSON", false, coded("200 OK", "application/json", "gzip", zip(task)), Malformed, "The response " + says},
		{"a stream", true, coded("200 OK", "text/event-stream", "gzip", zip(events)), Malformed, "The response " + says},
		{"a refusal", true, coded("400 Bad Request", "application/json", "gzip", zip(task)), HTTPError, "The target returned status 400. The response " + says},
		{"identity", true, coded("200 OK", "text/event-stream", "Identity", events), OK, ""},
	} {
		inVirtualTime(t, tt.name, func(t *testing.T) {
			checker, err := expect.Compile(expect.Expectation{Status: 200, Fields: []expect.Field{{Path: "id", Type: "string"}}})
			if err != nil {
				t.Fatal(err)
			}
			client, _ := newTestClient(t)
			request := streamRequest(serve(t, tt.script))
			request.Stream, request.Status, request.Expect = tt.stream, 200, checker
			request.Header = http.Header{"Accept-Encoding": {"identity"}}
			got := client.Do(context.Background(), request)
			if got.Outcome != tt.want || !strings.HasPrefix(got.Detail, tt.detail) || (tt.detail == "") != (got.Detail == "") {
				t.Errorf("got  %s (%s)\nwant %s (%s)", got.Outcome, got.Detail, tt.want, tt.detail)
			}
		})
	}
}
