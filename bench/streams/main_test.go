package main

import (
	"crypto/tls"
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

func TestGroundTruthMatchesWhatAClientReceives(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	p := plan{ttft: 20 * time.Millisecond, itl: 10 * time.Millisecond, tokens: 5}
	rows := &ledger{}
	go accept(listener, p, &failing{}, newChunkWriters(2), rows)

	stream := post(t, listener, "a", `{"stream":true}`)
	if got := strings.Count(stream, `"content":"word "`); got != p.tokens || !strings.HasSuffix(stream, "data: [DONE]\n\n") {
		t.Errorf("%d chunks of content, the stream ends with %q", got, stream[max(0, len(stream)-20):])
	}
	if got := post(t, listener, "b", `{}`); got != plainBody {
		t.Errorf("response to a plain request: %q", got)
	}

	lines := writtenLines(t, rows, 2)
	if len(lines) != 2 || lines[0].ID != "a" || lines[1].ID != "b" || len(lines[1].Actual) != 0 {
		t.Fatalf("lines %+v", lines)
	}
	before := 0.0
	for chunk, at := range lines[0].Actual {
		if due := millis(p.due(chunk)); lines[0].Planned[chunk] != due || at < max(due, before) {
			t.Errorf("chunk %d was due at %v and written at %v, the one before at %v", chunk, due, at, before)
		}
		before = at
	}
}

func TestEmbeddingsHaveAVectorForEachInput(t *testing.T) {
	for body, inputs := range map[string]int{`{"input":["a","b"]}`: 2, `{"input":"a"}`: 1} {
		var got struct {
			Data []struct {
				Index     int
				Embedding []float64
			}
		}
		if err := json.Unmarshal([]byte(embeddings([]byte(body))), &got); err != nil || len(got.Data) != inputs {
			t.Fatalf("%s: %+v, %v", body, got, err)
		}
		for index, one := range got.Data {
			if one.Index != index || len(one.Embedding) != dimensions {
				t.Errorf("%s: index %d has %d numbers", body, one.Index, len(one.Embedding))
			}
		}
	}
}

func TestBothProtocolsOverTLSServeTheSame(t *testing.T) {
	p := plan{ttft: 20 * time.Millisecond, itl: 10 * time.Millisecond, tokens: 3}
	for protocol, major := range map[string]int{secureHTTP1: 1, secureHTTP2: 2} {
		listener, err := listen(protocol)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = listener.Close() }()
		rows := &ledger{}
		if protocol == secureHTTP2 {
			go serveHTTP2(listener, p, rows)
		} else {
			go accept(listener, p, &failing{}, newChunkWriters(2), rows)
		}
		transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
		defer transport.CloseIdleConnections()
		client := &http.Client{Transport: transport}
		response, err := client.Post("https://"+listener.Addr().String(), "", strings.NewReader(`{"stream":true,"stream_options":{"include_usage":true}}`))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		if want := strings.Repeat(tokenEvent, p.tokens) + eventsAtEnd(p.tokens, true); err != nil || string(text) != want || response.ProtoMajor != major {
			t.Errorf("%s: %s, %q, %v", protocol, response.Proto, text, err)
		}
		if err := response.Body.Close(); err != nil {
			t.Error(err)
		}
		lines := writtenLines(t, rows, 1)
		if len(lines[0].Actual) != p.tokens || lines[0].Actual[0] < lines[0].Planned[0] {
			t.Errorf("%s: %+v", protocol, lines[0])
		}
	}
}

func TestEveryNthStreamFailsInEachWay(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	p := plan{ttft: time.Millisecond, itl: time.Millisecond, tokens: 5}
	rows := &ledger{}
	go accept(listener, p, &failing{every: 2}, newChunkWriters(2), rows)

	const done = "data: [DONE]\n\n"
	for number, want := range []struct {
		failure failure
		status  int
		cut     bool
		chunks  int
		end     string
	}{
		{"", 200, false, 5, done},
		{httpError, 500, false, 0, errorBody},
		{"", 200, false, 5, done},
		{cut, 200, true, 3, ""},
		{"", 200, false, 5, done},
		{errorEvent, 200, false, 3, `"code":500}}` + "\n\n"},
		{"", 200, false, 5, done},
		{noDone, 200, false, 3, `"finish_reason":null}]}` + "\n\n"},
	} {
		status, text, err := exchange(t, listener, "a", `{"stream":true,"stream_options":{"include_usage":true}}`)
		chunks := strings.Count(text, `"content":"word "`)
		if status != want.status || (err != nil) != want.cut || chunks != want.chunks || !strings.HasSuffix(text, want.end) {
			t.Errorf("stream %d: status %d, %d chunks, error %v, ends with %q", number, status, chunks, err, text[max(0, len(text)-40):])
		}
		if hasUsage := strings.Contains(text, `"completion_tokens":5`); hasUsage != (want.failure == "") {
			t.Errorf("stream %d has the usage: %v", number, hasUsage)
		}
		if row := writtenLines(t, rows, number+1)[number]; failure(row.Fault) != want.failure || len(row.Actual) != want.chunks {
			t.Errorf("stream %d in the ground truth: %+v", number, row)
		}
	}
}

func post(t *testing.T, listener net.Listener, id, body string) string {
	t.Helper()
	_, text, err := exchange(t, listener, id, body)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// exchange returns the status, the body as far as it came, and the error that ended it.
func exchange(t *testing.T, listener net.Listener, id, body string) (int, string, error) {
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
	return response.StatusCode, string(text), err
}

type ledgerLine struct {
	ID      string    `json:"id"`
	Planned []float64 `json:"planned_ms"`
	Actual  []float64 `json:"actual_ms"`
	Fault   string    `json:"fault"`
}

func writtenLines(t *testing.T, rows *ledger, expected int) (lines []ledgerLine) {
	t.Helper()
	// The server adds a row after the response.
	for count(rows) < expected {
		time.Sleep(time.Millisecond)
	}
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	if err := rows.write(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var parsed ledgerLine
		if err := json.Unmarshal([]byte(line), &parsed); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, parsed)
	}
	return lines
}

func count(rows *ledger) int {
	rows.mu.Lock()
	defer rows.mu.Unlock()
	return len(rows.rows)
}
