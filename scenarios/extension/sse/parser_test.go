package sse

import (
	"fmt"
	"math/rand/v2"
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

var streams = []struct {
	name, stream string
	want         []string
}{
	{"one event", "data: a\n\n", []string{"|a"}},
	{"two events in one feed", "data: a\n\ndata: b\n\n", []string{"|a", "|b"}},
	{"CRLF line ends", "data: a\r\n\r\ndata: b\r\n\r\n", []string{"|a", "|b"}},
	{"CR-only line ends", "data: a\r\rdata: b\r\r", []string{"|a", "|b"}},
	{"mixed line ends", "data: a\r\n\ndata: b\n\r\ndata: c\r\r\n", []string{"|a", "|b", "|c"}},
	{"byte order mark", "\xef\xbb\xbfdata: a\n\n", []string{"|a"}},
	{"half a byte order mark is not a mark", "\xef\xbbdata: a\n\ndata: b\n\n", []string{"|b"}},
	{"a second byte order mark is data", "\xef\xbb\xbf\xef\xbb\xbfdata: a\n\ndata: b\n\n", []string{"|b"}},
	{"only part of a mark", "\xef\xbb", nil},
	{"comments", ": hello\n:\ndata: a\n: between\n\n", []string{"|a"}},
	{"no space after the colon", "data:a\n\n", []string{"|a"}},
	{"only one space is dropped", "data:  a\n\n", []string{"| a"}},
	{"two data lines", "data: a\ndata: b\n\n", []string{"|a\nb"}},
	{"data without colon", "data\n\n", []string{"|"}},
	{"two empty data lines", "data\ndata\n\n", []string{"|\n"}},
	{"event name", "event: error\ndata: a\n\ndata: b\n\n", []string{"error|a", "|b"}},
	{"last event name wins", "event: a\nevent: b\ndata: x\n\n", []string{"b|x"}},
	{"name without data is dropped", "event: a\n\ndata: x\n\n", []string{"|x"}},
	{"id and retry lines", "id: 1\nretry: 10\ndata: a\n\n", []string{"|a"}},
	{"unknown field", "foo: 1\ndatax: 2\ndata: a\n\n", []string{"|a"}},
	{"colon in the value", "data: a:b\n\n", []string{"|a:b"}},
	{"UTF-8", "data: héllo ✓ 🎉\n\n", []string{"|héllo ✓ 🎉"}},
	{"blank lines only", "\n\n\r\n\r\r", nil},
	{"no blank line at the end", "data: a\n\ndata: b\n", []string{"|a", "|b~"}},
	{"no line end at the end", "data: a\n\ndata: b", []string{"|a", "|b~"}},
	{"trailing comment is not an event", "data: a\n\n: bye", []string{"|a"}},
	{"empty stream", "", nil},
	{"blank before the first event", "\n\ndata: a\n\n", []string{"|a"}},
}

func TestParserReadsStreams(t *testing.T) {
	for _, tt := range streams {
		t.Run(tt.name, func(t *testing.T) {
			if got := events(tt.stream); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestParserGivesTheSameEventsHoweverTheStreamIsSplit(t *testing.T) {
	for _, tt := range streams {
		for at := range len(tt.stream) + 1 {
			if got := events(tt.stream[:at], tt.stream[at:]); !slices.Equal(got, tt.want) {
				t.Errorf("%s, split at %d: got %q, want %q", tt.name, at, got, tt.want)
			}
		}
		if got := events(strings.Split(tt.stream, "")...); !slices.Equal(got, tt.want) {
			t.Errorf("%s, a rune a feed: got %q, want %q", tt.name, got, tt.want)
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
		t.Errorf("%v allocations a chunk, want 0", n)
	}
}

func FuzzParser(f *testing.F) {
	for _, tt := range streams {
		f.Add(tt.stream, uint64(1))
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
