package sse

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// events feeds the pieces to a parser and writes each event as NAME|DATA; one that lacks its blank line ends with ~.
func events(pieces ...string) []string {
	var seen []string
	parser := NewParser(func(e Event) { seen = append(seen, fmt.Sprintf("%s|%s", e.Name, e.Data)) })
	for _, piece := range pieces {
		parser.Feed([]byte(piece))
	}
	if last, ok := parser.Finish(); ok {
		seen = append(seen, fmt.Sprintf("%s|%s~", last.Name, last.Data))
	}
	return seen
}

// stream is a case of scenarios/testdata/event-streams.json, or one of bytes that JSON cannot contain.
type stream struct {
	Name, Body string
	Events     []string
}

func readStreams(t testing.TB) []stream {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "scenarios", "testdata", "event-streams.json"))
	if err != nil {
		t.Fatal(err)
	}
	var streams []stream
	if err := json.Unmarshal(data, &streams); err != nil {
		t.Fatal(err)
	}
	return append(streams,
		stream{"half a byte order mark is not a mark", "\xef\xbbdata: a\n\ndata: b\n\n", []string{"|b"}},
		stream{"only part of a mark", "\xef\xbb", nil},
	)
}

func TestParserReadsStreams(t *testing.T) {
	for _, tt := range readStreams(t) {
		t.Run(tt.Name, func(t *testing.T) {
			if got := events(tt.Body); !slices.Equal(got, tt.Events) {
				t.Errorf("got %q, want %q", got, tt.Events)
			}
		})
	}
}

func TestParserGivesTheSameEventsHoweverTheStreamIsSplit(t *testing.T) {
	for _, tt := range readStreams(t) {
		for at := range len(tt.Body) + 1 {
			if got := events(tt.Body[:at], tt.Body[at:]); !slices.Equal(got, tt.Events) {
				t.Errorf("%s, split at %d: got %q, want %q", tt.Name, at, got, tt.Events)
			}
		}
		if got := events(strings.Split(tt.Body, "")...); !slices.Equal(got, tt.Events) {
			t.Errorf("%s, one rune per feed: got %q, want %q", tt.Name, got, tt.Events)
		}
	}
}

func TestParserDispatchesWithTheByteThatEndsTheBlankLine(t *testing.T) {
	for _, stream := range []string{"data: a\n\n", "data: a\r\r", "data: a\r\n\r"} {
		var count int
		parser := NewParser(func(Event) { count++ })
		parser.Feed([]byte(stream[:len(stream)-1]))
		if count != 0 {
			t.Errorf("%q: dispatched before its last byte", stream)
		}
		parser.Feed([]byte(stream[len(stream)-1:]))
		if count != 1 {
			t.Errorf("%q: dispatched %d events at its last byte, want 1", stream, count)
		}
	}
}

func TestParserIsReusableAfterReset(t *testing.T) {
	var got []string
	parser := NewParser(func(e Event) { got = append(got, string(e.Name)+"|"+string(e.Data)) })
	parser.Feed([]byte("event: x\ndata: cut off\r"))
	parser.Reset()
	parser.Feed([]byte("\n\xef\xbb\xbf"))
	parser.Reset()
	parser.Feed([]byte("\xef\xbb\xbfdata: a\n\n"))
	if want := []string{"|a"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestParserDropsAnEventThatIsTooLong(t *testing.T) {
	var count int
	parser := NewParser(func(Event) { count++ })
	part := []byte("data: " + strings.Repeat("x", 1<<20) + "\n")
	for range 20 {
		parser.Feed(part)
	}
	parser.Feed([]byte("\ndata: next\n\n"))
	if count != 0 {
		t.Errorf("dispatched %d events, want none", count)
	}
	if !parser.TooLong() {
		t.Error("an event of 20 MiB was not reported as too long")
	}
}

func TestParserAllocatesNothingInTheSteadyState(t *testing.T) {
	parser := NewParser(func(Event) {})
	chunk := []byte("data: {\"choices\":[{\"delta\":{\"content\":\"token\"}}]}\n\n")
	half := len(chunk) / 2
	parser.Feed(chunk)
	parser.Feed(chunk[:half])
	parser.Feed(chunk[half:])
	if n := testing.AllocsPerRun(1000, func() {
		parser.Feed(chunk)
		parser.Feed(chunk[:half])
		parser.Feed(chunk[half:])
	}); n != 0 {
		t.Errorf("%v allocations per chunk, want 0", n)
	}
}

func FuzzParser(f *testing.F) {
	for _, tt := range readStreams(f) {
		f.Add(tt.Body, uint64(1))
	}
	f.Fuzz(func(t *testing.T, stream string, seed uint64) {
		whole := events(stream)
		random := rand.New(rand.NewPCG(seed, 0))
		var pieces []string
		for rest := stream; len(rest) > 0; {
			n := 1 + random.IntN(len(rest))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		if split := events(pieces...); !slices.Equal(split, whole) {
			t.Errorf("whole %q, split %q", whole, split)
		}
	})
}

func BenchmarkParser(b *testing.B) {
	parser := NewParser(func(Event) {})
	chunk := []byte("data: {\"id\":\"chatcmpl-1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"token \"}}]}\n\n")
	b.SetBytes(int64(len(chunk)))
	b.ReportAllocs()
	for b.Loop() {
		parser.Feed(chunk)
	}
}

func TestResetDropsLargeBuffers(t *testing.T) {
	parser := NewParser(func(Event) {})
	parser.Feed([]byte("data: " + strings.Repeat("x", 2*maxRetained)))
	parser.Feed([]byte("\ndata: x"))
	parser.Reset()
	if kept := max(cap(parser.line), cap(parser.data)); kept > maxRetained {
		t.Errorf("%d bytes are kept", kept)
	}
}

// BenchmarkLinesThatEndWithCR shows whether the time grows with the number of lines in a read or with its square.
func BenchmarkLinesThatEndWithCR(b *testing.B) {
	parser := NewParser(func(Event) {})
	chunk := []byte(strings.Repeat("\r", 64<<10))
	b.SetBytes(int64(len(chunk)))
	for b.Loop() {
		parser.Feed(chunk)
	}
}
