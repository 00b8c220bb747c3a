package record

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay.dev/k6/httpstream"
)

// formatLines reads recorded lines that all writers and readers of a format share.
func formatLines(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "formats", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n")
}

// parsed is a record as a line gives it; what is absent keeps the value that stands for it.
type parsed struct {
	ID, Op, Phase, Workload, Model, Task, Outcome, Detail, Proto, Format string

	TraceID      string            `json:"trace_id"`
	ClientFault  string            `json:"client_fault"`
	FinishReason string            `json:"finish_reason"`
	TokenSource  string            `json:"token_source"`
	TaskState    string            `json:"task_state"`
	Tags         map[string]string `json:"tags"`
	Flags        []string          `json:"flags"`

	Scheduled, Sent time.Time

	TTFB, TTFT, Done, E2E, Lag *float64

	TTFTAny    *float64 `json:"ttft_any"`
	SlotWait   *float64 `json:"slot_wait"`
	RetryAfter float64  `json:"retry_after"`
	Progress   float64  `json:"progress"`
	Cost       float64  `json:"cost"`

	CancelReason CancelReason `json:"cancel_reason"`
	CancelAt     string       `json:"cancel_at"`
	Leave        string       `json:"leave"`

	Status, Items, Dimensions, Chunks, Coalesced, Bytes, Resent int

	Arrival int64

	MaxTokens    int `json:"max_tokens"`
	Requested    int `json:"requested_input_tokens"`
	Turn, Turns  int
	InputTokens  int      `json:"input_tokens"`
	Reasoning    int      `json:"reasoning_tokens"`
	Cached       int      `json:"cached_tokens"`
	InputDigest  uint64   `json:"input_digest"`
	PrefixDigest uint64   `json:"prefix_digest"`
	TTLTAny      *float64 `json:"ttlt_any"`
	OutputTokens int      `json:"output_tokens"`
	GapsUS       []int64  `json:"gaps_us"`
	DoneSeen     bool     `json:"done_seen"`
	Reused       *bool    `json:"reused"`
}

func mustParse(t *testing.T, line string) *Record {
	t.Helper()
	p := parsed{
		RetryAfter: httpstream.Unknown, Progress: math.NaN(), Cost: math.NaN(), Arrival: httpstream.Unknown, Items: httpstream.Unknown, Chunks: httpstream.Unknown,
		Bytes: httpstream.Unknown, InputTokens: httpstream.Unknown, OutputTokens: httpstream.Unknown, Reasoning: httpstream.Unknown, Cached: httpstream.Unknown, MaxTokens: httpstream.Unknown, Requested: httpstream.Unknown,
	}
	if err := json.Unmarshal([]byte(line), &p); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	r := &Record{
		ID: p.ID, Op: p.Op, Phase: p.Phase, Arrival: p.Arrival, Workload: p.Workload, Model: p.Model, TraceID: p.TraceID, Scheduled: p.Scheduled, Items: p.Items, MaxTokens: p.MaxTokens, RequestedInputTokens: p.Requested, InputDigest: p.InputDigest, PrefixDigest: p.PrefixDigest, Turn: p.Turn, Turns: p.Turns, Task: p.Task, CancelReason: p.CancelReason, CancelAt: p.CancelAt, Leave: p.Leave,
		SlotWait: duration(p.SlotWait), Lag: duration(p.Lag),
		Result: &httpstream.Result{
			Sent: p.Sent, Outcome: httpstream.Outcome(p.Outcome), Detail: p.Detail, Fault: httpstream.ClientFault(p.ClientFault), Flags: p.Flags, Status: p.Status, Proto: p.Proto,
			RetryAfter: p.RetryAfter, Bytes: int64(p.Bytes), Connected: p.Reused != nil, Resent: p.Resent, TTFB: duration(p.TTFB),
			TTFT: duration(p.TTFT), TTFTAny: duration(p.TTFTAny), Done: duration(p.Done), E2E: duration(p.E2E), Chunks: p.Chunks,
			Coalesced: p.Coalesced, GapsUS: p.GapsUS, DoneSeen: p.DoneSeen, FinishReason: p.FinishReason, Format: p.Format,
			TTLTAny: duration(p.TTLTAny), InputTokens: p.InputTokens, ReasoningTokens: p.Reasoning, CachedTokens: p.Cached,
			OutputTokens: p.OutputTokens, TokenSource: p.TokenSource, Dimensions: p.Dimensions, TaskState: p.TaskState, Progress: p.Progress, Cost: p.Cost,
		},
	}
	r.Reused = p.Reused != nil && *p.Reused
	for _, name := range []string{"b", "a", "endpoint"} {
		if value, given := p.Tags[name]; given {
			r.Tags = append(r.Tags, Tag{name, value})
		}
	}
	return r
}

func duration(ms *float64) time.Duration {
	if ms == nil {
		return httpstream.NotMeasured
	}
	return time.Duration(math.Round(*ms*1000)) * time.Microsecond
}

func TestTheSharedLinesAreWrittenAsTheyAre(t *testing.T) {
	lines := formatLines(t, "records.jsonl")
	var header Header
	if err := json.Unmarshal([]byte(lines[0]), &header); err != nil {
		t.Fatal(err)
	}
	var written file
	w := NewWriter(&written, func(err error) { t.Error(err) })
	if err := w.Begin(header, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(); err != nil || written.data.String() != lines[0] {
		t.Errorf("got %s, %v, want %s", written.data.String(), err, lines[0])
	}
	for _, line := range lines[1:] {
		if got := string(mustParse(t, line).Append(nil, nil)); strings.TrimSpace(got) != strings.TrimSpace(line) {
			t.Errorf("got\n%s, want\n%s", got, line)
		}
	}
}

func TestTheSharedLinesOfASummaryAreWrittenAsTheyAre(t *testing.T) {
	lines := formatLines(t, "records-summary.jsonl")
	r := mustParse(t, lines[1])
	r.GapsUS = []int64{20_000, 0}
	if got := string(r.Append(nil, &Summary{[]int64{1_000_000, 20_000, 19_999}})); got != lines[1] {
		t.Errorf("got\n%s, want\n%s", got, lines[1])
	}
	r.Phase, r.GapsUS = "measure", []int64{19_999, 0}
	var gaps gapCounts
	gaps.add(r)
	if got := strings.TrimSpace(string(gaps.rest(nil))); got != lines[2] {
		t.Errorf("got\n%s, want\n%s", got, lines[2])
	}
}

func TestTheSharedLinesOfArrivalsAreWrittenAsTheyAre(t *testing.T) {
	var written file
	w := NewWriter(&written, func(err error) { t.Error(err) })
	lines := formatLines(t, "arrival-lines.jsonl")
	for _, line := range lines {
		var p struct {
			Arrival struct {
				Index              int64
				Phase, End, Detail string
				Scheduled          time.Time
			}
		}
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		a := p.Arrival
		w.AddArrival(Arrival{Index: a.Index, Phase: a.Phase, Scheduled: a.Scheduled, End: ArrivalEnd(a.End), Detail: a.Detail})
	}
	count, err := w.Close()
	if want := strings.Join(lines, ""); err != nil || count != 0 || strings.TrimSpace(written.data.String()) != want {
		t.Errorf("got %s, %d records, %v; want %s", written.data.String(), count, err, want)
	}
}
