package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTheLedgerHoldsWhatAClientSaw(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	p := plan{ttft: 20 * time.Millisecond, itl: 10 * time.Millisecond, tokens: 5}
	truth := &ledger{}
	go accept(listener, p, newClock(), truth)

	begun := time.Now()
	stream := ask(t, listener, "a", `{"stream":true}`)
	took := time.Since(begun)
	if got := strings.Count(stream, `"content":"word "`); got != p.tokens || !strings.HasSuffix(stream, "data: [DONE]\n\n") {
		t.Errorf("%d chunks of content, ends with %q", got, stream[max(0, len(stream)-20):])
	}
	if got := ask(t, listener, "b", `{}`); got != whole {
		t.Errorf("a plain request is answered with %q", got)
	}

	rows := written(t, truth)
	if len(rows) != 2 || rows[0].ID != "a" || rows[1].ID != "b" || len(rows[1].Actual) != 0 {
		t.Fatalf("rows %+v", rows)
	}
	for chunk, at := range rows[0].Actual {
		if due := millis(p.due(chunk)); rows[0].Planned[chunk] != due || at < due || at > millis(took) {
			t.Errorf("chunk %d was due at %v and written at %v of %v", chunk, due, at, took)
		}
	}
}

func ask(t *testing.T, listener net.Listener, id, body string) string {
	t.Helper()
	request, err := http.NewRequest(http.MethodPost, "http://"+listener.Addr().String(), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Request-Id", id)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

type ledgerLine struct {
	ID      string    `json:"id"`
	Planned []float64 `json:"planned_ms"`
	Actual  []float64 `json:"actual_ms"`
}

func written(t *testing.T, truth *ledger) (rows []ledgerLine) {
	t.Helper()
	// The server notes a request after its answer.
	for deadline := time.Now().Add(5 * time.Second); count(truth) < 2 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
	}
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	if err := truth.write(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var row ledgerLine
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

func count(truth *ledger) int {
	truth.mu.Lock()
	defer truth.mu.Unlock()
	return len(truth.rows)
}
