package sample

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay.dev/k6/httpstream"
)

// kept is a pipe that keeps what is written to it.
type kept struct{ bytes.Buffer }

func (*kept) Close() error { return nil }

func chosen(share float64, seed uint64) (count int) {
	s := Sample{share: share, seed: seed, pipe: &kept{}}
	for arrival := range int64(10_000) {
		if s.Takes(arrival, false) {
			count++
		}
	}
	return count
}

func TestAShareOfTheArrivalsIsTakenTheSameOnesForOneSeed(t *testing.T) {
	for _, share := range []float64{0, 0.01, 0.2, 1} {
		if got := chosen(share, 1); float64(got) < 8_000*share || float64(got) > 12_000*share {
			t.Errorf("%d of 10000 were taken, for a share of %v", got, share)
		}
	}
	one, again, other := Sample{share: 0.5, seed: 1, pipe: &kept{}}, Sample{share: 0.5, seed: 1, pipe: &kept{}}, Sample{share: 0.5, seed: 2, pipe: &kept{}}
	differing := 0
	for arrival := range int64(1_000) {
		if one.Takes(arrival, false) != again.Takes(arrival, false) {
			t.Fatalf("arrival %d is taken once and not again", arrival)
		}
		if one.Takes(arrival, false) != other.Takes(arrival, false) {
			differing++
		}
	}
	if differing < 300 {
		t.Errorf("two seeds differ in %d of 1000 arrivals", differing)
	}
}

func TestNothingIsTakenWithoutAPipe(t *testing.T) {
	var s Sample
	s.Start(nil, 1, 1)
	if s.Takes(1, false) || s.Takes(1, true) {
		t.Error("an arrival was taken")
	}
	s.Add(exampleRequest(""), &httpstream.Result{})
	s.Close()
}

func exampleRequest(body string) *httpstream.Request {
	return &httpstream.Request{
		Method: http.MethodPost, URL: &url.URL{Scheme: "http", Host: "127.0.0.1:1", Path: "/v1/chat/completions"},
		Header: http.Header{"X-Request-Id": {"a-1"}, "Authorization": {"Bearer k"}}, Body: []byte(body),
	}
}

func exampleResult(body string) *httpstream.Result {
	return &httpstream.Result{
		Sent: time.Unix(0, 0), Status: 200, Outcome: httpstream.OK, TTFB: 1500 * time.Microsecond, E2E: 2 * time.Millisecond,
		Kept: &httpstream.Kept{
			Header: http.Header{"Content-Type": {"application/json"}, "X-Two": {"a", "b"}}, Body: []byte(body), Whole: true,
			Chunks: []httpstream.Chunk{{At: 1500 * time.Microsecond, Bytes: len(body)}},
		},
	}
}

func TestExchangesAreWrittenInOrderWithTheirCountAtTheEnd(t *testing.T) {
	pipe := &kept{}
	var s Sample
	s.Start(pipe, 1, 1)
	s.Add(exampleRequest(`{"a":1}`), exampleResult("{}"))
	cut := exampleResult("\xff{")
	cut.Kept.Whole, cut.Outcome, cut.Detail = false, httpstream.Reset, "The connection was reset."
	s.Add(exampleRequest(`{"a":2}`), cut)
	s.Add(exampleRequest(""), &httpstream.Result{Outcome: httpstream.TimedOut, Detail: "late"})
	s.Close()
	lines := strings.Split(strings.TrimSpace(pipe.String()), "\n")
	if len(lines) != 4 || lines[3] != `{"taken":3,"dropped":0}` {
		t.Fatalf("wrote %q", lines)
	}
	var first, second, third line
	for n, read := range []*line{&first, &second, &third} {
		if err := json.Unmarshal([]byte(lines[n]), read); err != nil {
			t.Fatal(err)
		}
	}
	if first.ID != 1 || *first.Request.Body != `{"a":1}` || first.Answer.Body != "{}" || first.Failure != nil ||
		first.Answer.Headers["x-two"] != "a, b" || first.Answer.HeadersMS != 1.5 || first.Answer.EndMS != 2 {
		t.Errorf("wrote %s", lines[0])
	}
	if second.Answer.Base64 != "/3s=" || second.Failure.Kind != "reset" {
		t.Errorf("wrote %s", lines[1])
	}
	if third.Answer != nil || third.Failure.Kind != "client" {
		t.Errorf("wrote %s", lines[2])
	}
}

// stuck is a pipe that nobody reads until it is released.
type stuck struct {
	kept
	release chan struct{}
}

func (s *stuck) Write(data []byte) (int, error) {
	<-s.release
	return s.kept.Write(data)
}

func TestWhatIsNotReadInTimeIsDroppedAndCounted(t *testing.T) {
	pipe := &stuck{release: make(chan struct{})}
	var s Sample
	s.Start(pipe, 1, 1)
	large := strings.Repeat("x", mostHeld/2)
	for range 5 {
		s.Add(exampleRequest(""), exampleResult(large))
	}
	close(pipe.release)
	s.Close()
	var count Counts
	lines := strings.Split(strings.TrimSpace(pipe.String()), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &count); err != nil {
		t.Fatal(err)
	}
	if count.Taken != 5 || count.Dropped == 0 || int(count.Dropped) != 5-(len(lines)-1) {
		t.Errorf("%+v, and %d lines", count, len(lines))
	}
}

func TestARunPassesOnABoundedAmount(t *testing.T) {
	var s Sample
	s.Start(struct {
		io.Writer
		io.Closer
	}{io.Discard, io.NopCloser(nil)}, 1, 1)
	large := strings.Repeat("x", 8<<20)
	for range 12 {
		s.Add(exampleRequest(""), exampleResult(large))
		for held := 1; held > 0; {
			s.mu.Lock()
			held = s.held
			s.mu.Unlock()
		}
	}
	s.Close()
	if s.count.Dropped < 4 || s.count.Dropped > 6 {
		t.Errorf("%+v of 12 exchanges of 8 MiB", s.count)
	}
}

func TestTheSharedLinesAreReadAndWrittenAsTheyAre(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "formats", "testdata", "sampled-exchanges.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for want := range strings.Lines(string(data)) {
		var read line
		if err := json.Unmarshal([]byte(want), &read); err != nil {
			t.Fatal(err)
		}
		if got := string(encoded(read)); got != want {
			t.Errorf("got\n%s, want\n%s", got, want)
		}
	}
}
