package runstate

import (
	"bytes"
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"assay.dev/k6/expect"
	"assay.dev/k6/httpstream"
	"assay.dev/k6/record"
)

// The benchmarks of this file are requests from the call to the line in the records, without k6 and without a network.
// Their allocations are the same in every run: they do not depend on the speed of the machine.

// respond reads requests from a connection and sends a response to each, without an allocation.
func respond(conn net.Conn, response []byte) {
	buffer := make([]byte, 64<<10)
	filled := 0
	for {
		n, err := conn.Read(buffer[filled:])
		if err != nil {
			return
		}
		filled += n
		if whole := wholeSize(buffer[:filled]); whole == 0 || filled < whole {
			continue
		}
		filled = 0
		if _, err := conn.Write(response); err != nil {
			return
		}
	}
}

// wholeSize is the length of a request whose headers are complete; 0 for others.
func wholeSize(head []byte) int {
	end := bytes.Index(head, []byte("\r\n\r\n"))
	if end < 0 {
		return 0
	}
	_, rest, _ := bytes.Cut(head[:end], []byte("Content-Length: "))
	length := 0
	for _, digit := range rest {
		if digit < '0' || digit > '9' {
			break
		}
		length = 10*length + int(digit-'0')
	}
	return end + 4 + length
}

// benchmarkRequests sends one request after another over one connection, and records each.
func benchmarkRequests(b *testing.B, request httpstream.Request, response []byte) {
	base := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		go respond(far, response)
		return near, nil
	}}
	transport := httpstream.Transport(base, nil, new(httpstream.Network))
	defer transport.CloseIdleConnections()
	client, run := httpstream.NewClient(transport), New()
	run.KeepSecret("Bearer sk-very-secret")
	line := make([]byte, 0, 64<<10)
	run.RecordTo(func(r *record.Record) { line = r.Append(line[:0], nil) })
	request.Method, request.URL = http.MethodPost, &url.URL{Scheme: "http", Host: "192.0.2.1:80", Path: "/v1"}
	request.Limits = httpstream.Limits{Stall: time.Hour, Timeout: time.Hour}
	request.Status = http.StatusOK
	send := func() {
		one, id := request, run.NextID()
		one.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer sk-very-secret"}, "X-Request-Id": {id}}
		one.Sent = time.Now()
		run.Counters.Started()
		r := &record.Record{
			ID: id, Op: "chat", Phase: "measure", Model: "m", Scheduled: one.Sent, Items: one.Items,
			MaxTokens: httpstream.Unknown, RequestedInputTokens: httpstream.Unknown, Result: client.Do(b.Context(), &one),
		}
		if r.Outcome != httpstream.OK {
			b.Fatalf("%s (%s)", r.Outcome, r.Detail)
		}
		r.Detail, r.FinishReason, r.Task = run.Redact(r.Detail), run.Redact(r.FinishReason), run.Redact(r.Task)
		run.Counters.Ended(r.Result)
		run.Record(r)
	}
	// Several CPUs, and a collector that empties pools, would allocate something else in every run.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for range 200 { // buffers grow to their size
		send()
	}
	b.ReportAllocs()
	for b.Loop() {
		send()
	}
}

func checker(b *testing.B, expectation expect.Expectation, reads httpstream.Reads) *expect.Checker {
	b.Helper()
	compiled, err := expect.Compile(expectation, reads.Paths()...)
	if err != nil {
		b.Fatal(err)
	}
	return compiled
}

func path(b *testing.B, text string) expect.Path {
	b.Helper()
	parsed, err := expect.ParsePath(text)
	if err != nil {
		b.Fatal(err)
	}
	return parsed
}

func plain(body string) []byte {
	return []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
}

func BenchmarkPlainRequest(b *testing.B) {
	benchmarkRequests(b, httpstream.Request{
		Body: []byte(`{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat("word ", 40) + `"}],"max_tokens":64}`), Items: httpstream.Unknown,
		Expect: checker(b, expect.Expectation{Status: 200, NonEmpty: []string{"choices"}, Fields: []expect.Field{
			{Path: "id", Type: "string"}, {Path: "choices[].message.content", Type: "string"}, {Path: "usage.completion_tokens", Type: "int"},
		}}, httpstream.Reads{InputTokens: path(b, "usage.prompt_tokens"), OutputTokens: path(b, "usage.completion_tokens")}),
	}, plain(`{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"`+
		strings.Repeat("word ", 64)+`"},"finish_reason":"stop"}],"usage":{"prompt_tokens":42,"completion_tokens":64,"total_tokens":106}}`))
}

func BenchmarkEmbeddingsRequest(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	var data strings.Builder
	for index := range 4 {
		if index > 0 {
			data.WriteByte(',')
		}
		data.WriteString(`{"object":"embedding","index":` + strconv.Itoa(index) + `,"embedding":[0.5`)
		for range 255 {
			data.WriteString("," + strconv.FormatFloat(random.Float64()-0.5, 'f', 8, 64))
		}
		data.WriteString("]}")
	}
	benchmarkRequests(b, httpstream.Request{
		Body: []byte(`{"model":"m","input":["one","two","three","four"]}`), Items: 4,
		Expect: checker(b, expect.Expectation{
			Status: 200, Fields: []expect.Field{{Path: "data[].embedding", Type: "numbers"}},
			Vectors: "data[].embedding", Counted: "data", Indexes: "data[].index",
		}, httpstream.Reads{InputTokens: path(b, "usage.prompt_tokens")}),
	}, plain(`{"object":"list","model":"m","data":[`+data.String()+`],"usage":{"prompt_tokens":8,"total_tokens":8}}`))
}

// BenchmarkStreamedRequest is a stream of 100 chunks.
func BenchmarkStreamedRequest(b *testing.B) {
	const event = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"word "},"finish_reason":null}]}` + "\n\n"
	var body strings.Builder
	for range 100 {
		body.WriteString(strconv.FormatInt(int64(len(event)), 16) + "\r\n" + event + "\r\n")
	}
	body.WriteString("e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")
	benchmarkRequests(b, httpstream.Request{Body: []byte(`{"model":"m","stream":true}`), Items: httpstream.Unknown, Stream: true},
		[]byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"+body.String()))
}
