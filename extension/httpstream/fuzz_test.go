package httpstream

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"
	"unicode/utf8"
)

// FuzzStream reads any bytes as an event stream and as JSON lines, however they are split. What is found does not depend on
// the split, and can be written to a record.
func FuzzStream(f *testing.F) {
	for _, body := range []string{
		"data: " + whole(`"a"`) + "\n\ndata: " + whole(`"b"`) + "\n\ndata: [DONE]\n\n",
		"\xef\xbb\xbfevent: error\r\ndata: {}\r\rdata:{\"error\":1}\n\n", whole(`"a"`) + "\n" + whole(`null`) + "\n",
		"data: {\"choices\":[[[[\n\n", "data: {\"choices\":{},\"usage\":{\"completion_tokens\":1e999}}\n\n", ": \x00\n\n", "retry: 5\nid\n",
	} {
		f.Add([]byte(body), uint64(1), true)
		f.Add([]byte(body), uint64(2), false)
	}
	f.Fuzz(func(t *testing.T, body []byte, seed uint64, events bool) {
		mediaType := "application/x-ndjson"
		if events {
			mediaType = "text/event-stream"
		}
		atOnce, split := readAs(t, mediaType, body), readAs(t, mediaType, pieces(body, seed)...)
		if atOnce.Outcome != split.Outcome || atOnce.FinishReason != split.FinishReason || atOnce.DoneSeen != split.DoneSeen ||
			atOnce.OutputTokens != split.OutputTokens || atOnce.InputTokens != split.InputTokens {
			t.Errorf("at once %+v, split %+v", atOnce, split)
		}
		if utf8.Valid(body) && !utf8.ValidString(atOnce.Detail) {
			t.Errorf("the detail is %q", atOnce.Detail)
		}
	})
}

// pieces splits bytes at random places.
func pieces(body []byte, seed uint64) (parts [][]byte) {
	random := rand.New(rand.NewPCG(seed, 0))
	for rest := body; len(rest) > 0; {
		n := 1 + random.IntN(len(rest))
		parts, rest = append(parts, rest[:n]), rest[n:]
	}
	return parts
}

// FuzzJSONFault compares what is said of a text with encoding/json: neither refuses what the other reads, but for depth.
func FuzzJSONFault(f *testing.F) {
	for _, text := range []string{`{"a":[1,"]"]}`, `[[[[`, `"\"[`, `{"a":"\\"}`, "\x00", `1e999`, `[1,]`, ` true `} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // encoding/json replaces what is not UTF-8
		}
		if fault := jsonFault(text); (fault == "") != json.Valid([]byte(text)) && fault != "nested deeper than 1000 levels" {
			t.Errorf("%q: %q", text, fault)
		}
		depth := 0
		for decoder := json.NewDecoder(bytes.NewReader([]byte(text))); ; {
			token, err := decoder.Token()
			if err != nil {
				break
			}
			if delim, ok := token.(json.Delim); ok {
				if delim == '[' || delim == '{' {
					depth++
				} else {
					depth--
				}
				if depth > 5 && !deeperThan(5, text) {
					t.Fatalf("%q is not found deeper than 5", text)
				}
			}
		}
	})
}

// readAs reads chunks as a stream of a media type, to its end.
func readAs(t *testing.T, mediaType string, chunks ...[]byte) *Result {
	t.Helper()
	watch := startWatch(context.Background(), Limits{}, time.Now())
	defer watch.stop()
	result := newResult(time.Now())
	s := newStream()
	s.begin(result, watch, mediaType)
	for i, chunk := range chunks {
		result.Bytes += int64(len(chunk))
		s.read(chunk, time.Duration(i)*time.Millisecond)
	}
	s.evaluate()
	s.report()
	return result
}
