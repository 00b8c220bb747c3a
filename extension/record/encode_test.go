package record

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"assay.dev/k6/httpstream"
)

var sent = time.Date(2026, 1, 2, 3, 4, 5, 678_901_000, time.UTC)

// refusedRecord is one that measured as little as can be.
func refusedRecord() *Record {
	return &Record{
		ID: "r-1", Op: "chat", Phase: "measure", Arrival: httpstream.Unknown, Model: "m", Scheduled: sent,
		SlotWait: httpstream.NotMeasured, Lag: httpstream.NotMeasured, Items: httpstream.Unknown, MaxTokens: httpstream.Unknown, RequestedInputTokens: httpstream.Unknown,
		Result: &httpstream.Result{
			Sent: sent, Outcome: httpstream.Refused, Detail: "No.", RetryAfter: httpstream.Unknown, Bytes: httpstream.Unknown,
			TTFB: httpstream.NotMeasured, TTFT: httpstream.NotMeasured, TTFTAny: httpstream.NotMeasured, TTLTAny: httpstream.NotMeasured, Done: httpstream.NotMeasured,
			E2E: 1500 * time.Microsecond, Chunks: httpstream.Unknown, InputTokens: httpstream.Unknown, OutputTokens: httpstream.Unknown, ReasoningTokens: httpstream.Unknown, CachedTokens: httpstream.Unknown, Progress: math.NaN(), Cost: math.NaN(),
		},
	}
}

// streamRecord is one that measured all that can be.
func streamRecord() *Record {
	const ms = time.Millisecond
	return &Record{
		ID: "r-2", TraceID: "0af7651916cd43dd8448eb211c80319c", Op: "chat.stream", Phase: "warmup", Arrival: 7, Tags: []Tag{{"b", "2"}, {"a", "1"}}, Model: "m",
		Scheduled: sent.Add(-10 * ms), SlotWait: 9 * ms, Lag: ms, Items: 1, MaxTokens: 256, RequestedInputTokens: 4, InputDigest: 9, PrefixDigest: 8, Turn: 2, Turns: 3, Task: "t/1", CancelAt: "50%", VideoSeconds: 10, VideoResolution: "720p", Leave: "2s",
		Result: &httpstream.Result{
			Sent: sent, Outcome: httpstream.OK, Flags: []string{"no-done", "media-type"}, Status: 200, Proto: "HTTP/1.1", RetryAfter: 1.5,
			Bytes: 99, Connected: true, Reused: true, Resent: 1, Address: "10.0.0.7:443", Lookup: ms, Connect: 2 * ms, TLS: 3 * ms, TTFB: 50 * ms, TTFT: 100*ms + 1500, TTFTAny: 60 * ms, TTLTAny: 130 * ms, Done: 150 * ms, Empties: httpstream.Events{Count: 2, First: 90 * ms, Last: 140 * ms}, Blanks: httpstream.Events{Count: 1, First: 140 * ms, Last: 140 * ms}, Usage: 145 * ms,
			E2E: 160 * ms, Chunks: 3, Coalesced: 1, GapsUS: []int64{20000, 0}, DoneSeen: true, FinishReason: "stop", Format: "text",
			InputTokens: 5, OutputTokens: 7, ReasoningTokens: 3, CachedTokens: 2, TokenSource: "usage", Completion: "chatcmpl-1", TaskState: "processing", Progress: 40, Cost: 0.25,
		},
	}
}

func TestAppendWritesTheLine(t *testing.T) {
	const refused = `{"id":"r-1","op":"chat","phase":"measure","model":"m","scheduled":"2026-01-02T03:04:05.678901Z",` +
		`"sent":"2026-01-02T03:04:05.678901Z","outcome":"refused","detail":"No.","e2e":1.500,"e2e_scheduled":1.500}`
	const all = `{"id":"r-2","trace_id":"0af7651916cd43dd8448eb211c80319c","op":"chat.stream","phase":"warmup","arrival":7,"turn":2,"turns":3,"tags":{"b":"2","a":"1"},"model":"m",` +
		`"scheduled":"2026-01-02T03:04:05.668901Z","sent":"2026-01-02T03:04:05.678901Z","outcome":"ok","status":200,` +
		`"retry_after":1.5,"ttfb":50.000,"ttft":100.002,"ttft_any":60.000,"ttft_scheduled":110.002,"done":150.000,` +
		`"e2e":160.000,"e2e_scheduled":170.000,"slot_wait":9.000,"lag":1.000,"items":1,"completion":"chatcmpl-1","task":"t/1",` +
		`"task_state":"processing","progress":40,"cost":0.25,"cancel_at":"50%","video_seconds":10,"video_resolution":"720p","leave":"2s","format":"text","chunks":3,"coalesced":1,"gaps_us":[20000,0],"ttlt_any":130.000,"empties":[2,90000,140000],"blanks":[1,140000,140000],"usage_at":145.000,` +
		`"done_seen":true,"finish_reason":"stop","max_tokens":256,"input_digest":9,"prefix_digest":8,"requested_input_tokens":4,"input_tokens":5,"output_tokens":7,"reasoning_tokens":3,"cached_tokens":2,"token_source":"usage","bytes":99,"reused":true,"address":"10.0.0.7:443","lookup":1.000,"connect":2.000,"tls":3.000,` +
		`"resent":1,"proto":"HTTP/1.1","flags":["no-done","media-type"]}`
	const gaps, instead = `"gaps_us":[20000,0],`, `"ttlt":120.002,"gaps_over_us":{"1000000":0,"20000":0,"19999":1},`
	for _, tt := range []struct {
		name    string
		record  *Record
		summary *Summary
		want    string
	}{
		{"what was not measured is absent", refusedRecord(), nil, refused},
		{"nor does a summary tell of it", refusedRecord(), &Summary{[]int64{1}}, refused},
		{"all fields", streamRecord(), nil, all},
		{"a summary instead of the gaps", streamRecord(), &Summary{[]int64{1_000_000, 20_000, 19_999}}, strings.Replace(all, gaps, instead, 1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := string(tt.record.Append(nil, tt.summary))
			if got != tt.want+"\n" {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if !json.Valid([]byte(got)) {
				t.Error("the line is not JSON")
			}
		})
	}
}

func TestAppendEscapesWhatTheTargetSent(t *testing.T) {
	for _, text := range []string{"a\"b\\c", "line\nfeed\x00\x1b[31m\x7f", "é ✓ 🎉", "\xff\xfe cut \xe2\x82", "\u2028"} {
		r := refusedRecord()
		r.Detail = text
		var back struct{ Detail string }
		if err := json.Unmarshal(r.Append(nil, nil), &back); err != nil {
			t.Errorf("%q: %v", text, err)
		} else if utf8.ValidString(text) && back.Detail != text {
			t.Errorf("%q came back as %q", text, back.Detail)
		}
	}
}

func TestAppendRoundsToMicroseconds(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0.000", 499: "0.000", 500: "0.001", time.Millisecond - 1: "1.000", 12_345_678: "12.346", -1_500_000: "-1.500",
		90 * time.Second: "90000.000",
	} {
		e := encoder{[]byte("{")}
		e.duration("x", d)
		if got := string(e.out); got != `{"x":`+want {
			t.Errorf("%d ns: got %s, want %s", d, got, want)
		}
	}
}

func TestAppendAllocatesNothing(t *testing.T) {
	r := streamRecord()
	buffer := make([]byte, 0, 4096)
	for _, summary := range []*Summary{nil, {[]int64{1}}} {
		if n := testing.AllocsPerRun(100, func() { buffer = r.Append(buffer[:0], summary) }); n != 0 {
			t.Errorf("%v allocations a record with summary %v, want 0", n, summary)
		}
	}
}

func FuzzAppendString(f *testing.F) {
	f.Add("a\"\\\n\x7f\xff é")
	f.Fuzz(func(t *testing.T, text string) {
		var back string
		if err := json.Unmarshal(appendString(nil, text), &back); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if utf8.ValidString(text) && back != text {
			t.Errorf("%q came back as %q", text, back)
		}
	})
}
