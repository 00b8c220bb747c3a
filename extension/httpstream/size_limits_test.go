package httpstream

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"assay.dev/k6/sse"
)

func TestTheSizeLimitsAreThoseOfTheFormats(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "formats", "testdata", "size-limits.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]int
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	got := map[string]int{"headers": maxHeader, "event": sse.MaxEvent, "checked": MaxKept, "body": maxBody, "chunks": maxChunks}
	if !maps.Equal(got, want) || maxLine != sse.MaxEvent {
		t.Errorf("got %v, want %v", got, want)
	}
}

// times sends a text many times, in large writes, unless the client leaves.
func times(n int, text string) step {
	return func(conn remote) bool {
		perBlock := 1 + (1<<20)/len(text)
		block := strings.Repeat(text, perBlock)
		for ; n > 0; n -= perBlock {
			if _, err := io.WriteString(conn, block[:len(text)*min(n, perBlock)]); err != nil {
				return false
			}
		}
		return true
	}
}

const okHead = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

func TestResponsesAreBounded(t *testing.T) {
	for _, tt := range []struct {
		name     string
		streamed bool
		script   []step
		want     string // start of the detail
	}{
		{"events with content", true, []step{send(headEOF), times(maxChunks+1, token("a")), hold}, "The stream has more than 262144 events"},
		{"an event", true, []step{send(headEOF + "data: "), times(sse.MaxEvent, "x"), hold}, "An event is longer than 8388608 bytes"},
		{"an event of many lines", true, []step{send(headEOF), times(sse.MaxEvent/2+2, "data: x\n"), hold}, "An event is longer than"},
		{"a line", true, []step{typed("application/jsonl"), send("["), times(maxLine, "1"), hold}, "A line is longer than"},
		{"a stream without content", true, []step{send(headEOF), times(maxBody/4, ":\n\n\n"), send(":"), hold}, "The body is longer than 268435456 bytes"},
		{"a whole body", false, []step{send(okHead + "\r\n"), times(maxBody+1, " "), hold}, "The body is longer than"},
		{"headers", false, []step{send(okHead), times(maxHeader/8, "A: aaaa\r\n"), hold}, "The headers are longer than 1048576 bytes"},
	} {
		inVirtualTime(t, tt.name, func(t *testing.T) {
			client, _ := newTestClient(t)
			request := streamRequest(serve(t, tt.script))
			request.Stream, request.Status, request.Limits = tt.streamed, http.StatusOK, Limits{}
			got := client.Do(context.Background(), request)
			if got.Outcome != TooLarge || !strings.HasPrefix(got.Detail, tt.want) || got.E2E == NotMeasured {
				t.Errorf("got %s (%s), want %s (%s)", got.Outcome, got.Detail, TooLarge, tt.want)
			}
			if kept := cap(client.whole.body) + cap(client.stream.body.body); kept > 3*MaxKept {
				t.Errorf("%d bytes were kept", kept)
			}
		})
	}
}

func TestTheFirstErrorOfAResponseThatIsTooLargeDecides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _ := newTestClient(t)
		request := streamRequest(serve(t, []step{send("HTTP/1.1 500 No\r\n\r\n"), times(maxBody+1, "x"), hold}))
		request.Limits = Limits{}
		if got := client.Do(context.Background(), request); got.Outcome != HTTPError || got.Bytes <= maxBody {
			t.Errorf("got %s (%s) with %d bytes", got.Outcome, got.Detail, got.Bytes)
		}
	})
}

func TestHeadersOverHTTP2AreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, address := secureServer(t, true, func(w http.ResponseWriter, _ *http.Request) {
			for i := range 33 {
				w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", maxHeader/32))
			}
		})
		client, _ := trusting(t, server)
		// net/http does not say of most headers that are too large why it refuses them.
		if got := client.Do(context.Background(), streamRequest(address)); got.Outcome != TooLarge && got.Outcome != Truncated {
			t.Errorf("got %s (%s), want %s", got.Outcome, got.Detail, TooLarge)
		}
	})
}
