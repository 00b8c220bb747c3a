package httpstream

import (
	"context"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestInstantsFollowTheWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const wait = 30 * time.Millisecond
		client, _ := newTestClient(t)
		got := client.Do(context.Background(), streamRequest(serve(t, []step{
			pause(wait), send(headSSE), pause(wait), chunked(role), pause(wait), chunked(token("a")), pause(wait),
			chunked(token("b"), token("c")), pause(wait), chunked(done), pause(wait), send(last),
		})))
		if got.Outcome != OK {
			t.Fatalf("%s (%s)", got.Outcome, got.Detail)
		}
		if got.TTFB != wait || got.TTFT != 3*wait || got.Done != 5*wait || got.E2E != 6*wait {
			t.Errorf("ttfb %v, ttft %v, done %v, e2e %v; want 1, 3, 5 and 6 times %v", got.TTFB, got.TTFT, got.Done, got.E2E, wait)
		}
		if want := []int64{wait.Microseconds(), 0}; !slices.Equal(got.GapsUS, want) || got.Coalesced != 1 {
			t.Errorf("gaps %v with %d coalesced, want %v, and the second coalesced", got.GapsUS, got.Coalesced, want)
		}
	})
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
	// The count is of the whole process: what ends of an earlier test is not in every try.
	least := math.Inf(1)
	for try := 0; try < 5 && least > 0; try++ {
		s.stamps = s.stamps[:0]
		least = min(least, testing.AllocsPerRun(1000, func() { s.read(chunk, 2) }))
	}
	if least != 0 {
		t.Errorf("%v allocations per chunk, want 0", least)
	}
	if s.evaluate(); len(s.stamps) < 1000 || result.Outcome != NoDone {
		t.Errorf("%d chunks were read, outcome %s (%s)", len(s.stamps), result.Outcome, result.Detail)
	}
}

// BenchmarkChunk is one chunk of a stream, from its read on; it allocates nothing.
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
