package record

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"
	"time"

	"assay.dev/k6/httpstream"
)

// FuzzAppend writes records of any texts and numbers: each is one line of JSON, from which the texts come back.
func FuzzAppend(f *testing.F) {
	f.Add("r-1", "ttl \"\\\n\u2028\xff", "t/1", int64(1_500_000), int64(-1), 3, 0.5, true)
	f.Add("", "\x00\x1b[2J", "##vso[task.complete]", int64(math.MaxInt64), int64(math.MinInt64), -1, math.Inf(1), false)
	f.Fuzz(func(t *testing.T, id, detail, task string, first, second int64, count int, number float64, summarized bool) {
		if math.IsInf(number, 0) || math.IsNaN(number) {
			number = 0 // what is read from a response is finite
		}
		r := streamRecord()
		r.ID, r.Task, r.Tags = id, task, []Tag{{detail, id}, {task, detail}}
		r.Items, r.MaxTokens, r.Arrival = count, count, first
		r.SlotWait, r.Lag = time.Duration(first), time.Duration(second)
		result := *r.Result
		result.Detail, result.FinishReason, result.Flags = detail, task, []string{id, detail}
		result.Outcome, result.Chunks, result.OutputTokens = httpstream.Malformed, count, count
		result.TTFT, result.E2E, result.TTLTAny = time.Duration(first), time.Duration(second), time.Duration(first)
		result.Progress, result.Cost, result.RetryAfter, result.GapsUS = number, number, number, []int64{first, second}
		r.Result = &result
		var summary *Summary
		if summarized {
			summary = &Summary{[]int64{1_000_000}}
		}
		line := r.Append(nil, summary)
		if bytes.Count(line, []byte("\n")) != 1 || line[len(line)-1] != '\n' {
			t.Fatalf("not one line: %q", line)
		}
		var back struct{ ID, Detail, Task string }
		if err := json.Unmarshal(line, &back); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		for name, pair := range map[string][2]string{"id": {id, back.ID}, "detail": {detail, back.Detail}, "task": {task, back.Task}} {
			if want := string([]rune(pair[0])); pair[1] != want {
				t.Errorf("%s %q came back as %q", name, want, pair[1])
			}
		}
	})
}
