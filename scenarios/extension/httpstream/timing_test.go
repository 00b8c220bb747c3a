package httpstream

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// A busy machine may be late, never early: the earliest of some attempts shows what the client does.
func TestInstantsFollowTheWire(t *testing.T) {
	const attempts = 20
	for attempt := range attempts {
		late := instantsOffTheWire(t)
		if len(late) == 0 || t.Failed() {
			return
		}
		if attempt == attempts-1 {
			t.Error(strings.Join(late, "; "))
		}
	}
}

// instantsOffTheWire fails the test for instants that are too early or not at all, and returns those that are late.
func instantsOffTheWire(t *testing.T) (late []string) {
	const wait = 30 * time.Millisecond
	client, _ := newTestClient(t)
	got := client.Do(context.Background(), streamRequest(serve(t, []step{
		pause(wait), send(headSSE), pause(wait), chunked(role), pause(wait), chunked(token("a")), pause(wait),
		chunked(token("b"), token("c")), pause(wait), chunked(done), pause(wait), send(last),
	})))
	if got.Outcome != OK {
		t.Fatalf("%s (%s)", got.Outcome, got.Detail)
	}
	const slack = 25 * time.Millisecond
	for _, tt := range []struct {
		name string
		got  time.Duration
		want time.Duration
	}{
		{"ttfb", got.TTFB, wait}, {"ttft", got.TTFT, 3 * wait}, {"done", got.Done, 5 * wait}, {"e2e", got.E2E, 6 * wait},
		{"first gap", time.Duration(got.GapsUS[0]) * time.Microsecond, wait},
	} {
		if tt.got < tt.want-time.Millisecond && tt.name != "first gap" {
			t.Errorf("%s is %v, want %v", tt.name, tt.got, tt.want)
		}
		if off := tt.got - tt.want; off > slack || off < -slack {
			late = append(late, fmt.Sprintf("%s is %v, want %v", tt.name, tt.got, tt.want))
		}
	}
	if len(got.GapsUS) != 2 || got.GapsUS[1] != 0 || got.Coalesced != 1 {
		t.Errorf("gaps %v with %d coalesced, want the second to be 0 and coalesced", got.GapsUS, got.Coalesced)
	}
	return late
}

func TestGapsAddUpToTheWhole(t *testing.T) {
	stamps := []time.Duration{100_400, 200_900, 301_400, 301_400, 999_999}
	got := gaps(stamps)
	if want := []int64{101, 100, 0, 699}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if gaps(stamps[:1]) != nil {
		t.Error("a single stamp has a gap")
	}
}

func TestAnOrdinaryChunkAllocatesNothing(t *testing.T) {
	watch := startWatch(context.Background(), Limits{}, time.Now())
	defer watch.stop()
	s := newStream()
	chunk := []byte(token("word"))
	result := newResult(time.Now())
	s.begin(result, watch, "text/event-stream")
	s.stamps = make([]time.Duration, 0, 4096)
	s.read(chunk, 1)
	if n := testing.AllocsPerRun(1000, func() { s.read(chunk, 2) }); n != 0 {
		t.Errorf("%v allocations per chunk, want 0", n)
	}
	if s.evaluate(); len(s.stamps) < 1000 || result.Outcome != NoDone {
		t.Errorf("%d chunks were read, outcome %s (%s)", len(s.stamps), result.Outcome, result.Detail)
	}
}

func BenchmarkChunk(b *testing.B) {
	watch := startWatch(context.Background(), Limits{}, time.Now())
	defer watch.stop()
	s := newStream()
	chunk := []byte(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"word "},"finish_reason":null}]}` + "\n\n")
	s.begin(newResult(time.Now()), watch, "text/event-stream")
	b.ReportAllocs()
	for b.Loop() {
		s.stamps = s.stamps[:0]
		s.read(chunk, 1)
	}
}
