package runstate

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"assay.dev/k6/pacer"
	"assay.dev/k6/route"
)

const options = `{"schedule":{"process":"poisson","rates":[{"from":5,"to":5}],"warmupMs":1000,"durationMs":2500.5,"maxArrivals":9,"seed":3},
	"stallMs":100,"timeoutMs":0,"settings":{"b":1,"a":2}}`

func mustParse(t *testing.T, text string) *Options {
	t.Helper()
	parsed, err := ParseOptions([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestParseOptionsReadsTheDeclaration(t *testing.T) {
	got := mustParse(t, options)
	want := pacer.Spec{
		Process: pacer.Poisson, Rates: []pacer.Stage{{From: 5, To: 5}}, Warmup: time.Second, Duration: 2500*time.Millisecond + 500*time.Microsecond, MaxArrivals: 9, Seed: 3,
	}
	if !slices.Equal(got.Spec.Rates, want.Rates) || got.Spec.Warmup != want.Warmup || got.Spec.Duration != want.Duration ||
		got.Spec.MaxArrivals != want.MaxArrivals || got.Spec.Seed != want.Seed || got.Limits.Stall != 100*time.Millisecond ||
		got.Limits.Timeout != 0 || string(got.Settings) != `{"b":1,"a":2}` {
		t.Errorf("got %+v", got)
	}
}

func TestParseOptionsReadsTheSummaryOfGaps(t *testing.T) {
	if got := mustParse(t, options).Summary; got != nil {
		t.Errorf("got %v, want none", got)
	}
	got := mustParse(t, strings.Replace(options, `"stallMs"`, `"gapSummary":{"overUs":[1000000,5]},"stallMs"`, 1)).Summary
	if got == nil || !slices.Equal(got.OverUS, []int64{1_000_000, 5}) {
		t.Errorf("got %v", got)
	}
}

func TestParseOptionsReadsTheMemoryLimit(t *testing.T) {
	if got := mustParse(t, strings.Replace(options, `"stallMs"`, `"memoryLimitBytes":1073741824,"stallMs"`, 1)).MemoryLimit; got != 1<<30 {
		t.Errorf("got %d bytes, want 1 GiB", got)
	}
}

func TestConfigureIsIdempotentAndRefusesOtherOptions(t *testing.T) {
	r := New()
	for range 3 {
		if err := r.Configure(mustParse(t, options), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Configure(mustParse(t, strings.Replace(options, `"seed":3`, `"seed":4`, 1)), nil); err == nil {
		t.Error("other options were accepted")
	}
}

func TestConfigureReadsTheCertificates(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(empty, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{empty: "contains no certificate", empty + ".none": "no such file"} {
		err := New().Configure(mustParse(t, strings.Replace(options, `"stallMs"`, `"caFile":"`+file+`","stallMs"`, 1)), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", file, err, want)
		}
	}
}

func TestTheCertificateOfTheClientIsWhatWasToldOrReadFromItsFiles(t *testing.T) {
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join("..", "..", "route", "testdata", name))
		if err != nil {
			t.Skip(err) // in a copy of the module alone
		}
		return string(data)
	}
	told := &route.Told{ClientCert: read("client.pem"), ClientKey: read("client-key.pem")}
	folder := filepath.Join("..", "..", "route", "testdata")
	named := `"clientCert":"` + folder + `/client.pem","clientKey":"` + folder + `/client-key.pem",`
	for _, tt := range []struct {
		told    *route.Told
		options string
		want    string
	}{
		{told, named, "yes"},
		{new(route.Told), named, "no"}, // of a target without TLS
		{nil, named, "yes"},
		{nil, "", "no"},
		{nil, strings.Replace(named, "client-key", "server-key", 1), "cannot use the client certificate"},
	} {
		r, got := New(), "no"
		r.BeTold(func() (*route.Told, error) { return tt.told, nil })
		if err := r.Configure(mustParse(t, strings.Replace(options, `"stallMs"`, tt.options+`"stallMs"`, 1)), nil); err != nil {
			got = err.Error()
		} else if config := r.Options().Route.Transport(new(http.Transport)).TLSClientConfig; config != nil && len(config.Certificates) == 1 {
			got = "yes"
		}
		if !strings.HasPrefix(got, tt.want) {
			t.Errorf("%v, %s: got %s, want %s", tt.told, tt.options, got, tt.want)
		}
	}
}

func TestParseOptionsRefusesWhatItCannotUse(t *testing.T) {
	for _, text := range []string{`{}`, `[]`, strings.Replace(options, "poisson", "steady", 1), strings.Replace(options, `"stallMs":100`, `"stallMs":-1`, 1)} {
		if _, err := ParseOptions([]byte(text)); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
}

const replay = `{"schedule":{"process":"trace","durationMs":1000,"seed":3},"stallMs":100,"timeoutMs":0}`

func TestATraceIsReadOnce(t *testing.T) {
	r, reads := New(), 0
	read := func(int) (*pacer.Trace, error) {
		reads++
		return &pacer.Trace{Offsets: []time.Duration{0, time.Millisecond}}, nil
	}
	for range 3 {
		if err := r.Configure(mustParse(t, replay), read); err != nil {
			t.Fatal(err)
		}
	}
	if trace := r.Options().Spec.Trace; reads != 1 || len(trace.Offsets) != 2 {
		t.Errorf("read %d times, got %+v", reads, trace)
	}
}

func TestWorkloadsReplayTracesOfTheirOwn(t *testing.T) {
	schedule := `{"process":"trace","durationMs":1000,"seed":3}`
	declared := `{"schedule":` + schedule + `,"streams":[{"scenario":"a","schedule":` + schedule + `},
		{"scenario":"b","schedule":{"process":"constant","rates":[{"from":5,"to":5}],"durationMs":1000,"seed":3}},
		{"scenario":"c","schedule":` + schedule + `}],"stallMs":100,"timeoutMs":0}`
	r := New()
	if err := r.Configure(mustParse(t, declared), func(stream int) (*pacer.Trace, error) {
		return &pacer.Trace{
			Offsets: make([]time.Duration, 2+stream), Sessions: []int64{0, 0, 0, 0}[:2+stream],
			Turns: pacer.Turns{
				Starts: []int64{0, 0, int64(stream), int64(stream), int64(stream)}[:3+stream], ThinkMS: []float64{7, 8},
				InputTokens: []int64{3, 4}, OutputTokens: []int64{5, 6},
			},
		}, nil
	}); err != nil {
		t.Fatal(err)
	}
	trace, within := r.Options().TraceOf(5) // arrival 1 of c
	if within != 1 || len(trace.Offsets) != 4 {
		t.Errorf("number %d of %+v", within, trace)
	}
	if turns := trace.TurnsOf(within); !slices.Equal(turns, []pacer.Turn{{ThinkMS: 7, InputTokens: 3, OutputTokens: 5}, {ThinkMS: 8, InputTokens: 4, OutputTokens: 6}}) {
		t.Errorf("turns %v", turns)
	}
	if turns := trace.TurnsOf(0); turns != nil {
		t.Errorf("the first arrival has the turns %v", turns)
	}
	sessions := []int64{}
	for index := range int64(6) {
		sessions = append(sessions, r.Options().SessionOf(index))
	}
	if want := []int64{0, 1, 2, 0, 4, 2}; !slices.Equal(sessions, want) {
		t.Errorf("sessions %v, want %v", sessions, want)
	}
}

func TestAReplayWithoutAUsableTraceIsRefused(t *testing.T) {
	for want, read := range map[string]TraceReader{
		"there is none":       nil,
		"out of paper":        func(int) (*pacer.Trace, error) { return nil, errors.New("out of paper") },
		"contains no arrival": func(int) (*pacer.Trace, error) { return &pacer.Trace{}, nil },
		"is due at 1ns, be":   func(int) (*pacer.Trace, error) { return &pacer.Trace{Offsets: []time.Duration{2, 1}}, nil },
	} {
		if err := New().Configure(mustParse(t, replay), read); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func startAt(text string, at time.Time) string {
	return strings.Replace(text, `"seed"`, fmt.Sprintf(`"startAtMs":%d,"seed"`, at.UnixMilli()), 1)
}

func TestAStartThatHasPassedIsRefused(t *testing.T) {
	if _, err := ParseOptions([]byte(startAt(options, time.Now().Add(-time.Second)))); err == nil ||
		!strings.Contains(err.Error(), "by this machine's clock that was 1.") {
		t.Errorf("got %v", err)
	}
}

func TestAStartThatPassesWhileUsersAreMadeIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New()
		if err := r.Configure(mustParse(t, startAt(options, time.Now().Add(time.Second))), nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if _, err := r.StartPacer(pacer.Segment{}, "chat"); err == nil {
			t.Error("the pacer was started")
		}
	})
}

func TestARunBeginsShortlyBeforeItsStart(t *testing.T) {
	for process, want := range map[string]time.Duration{"poisson": 10*time.Second - readyAhead, "closed": 10 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			r, now := New(), time.Now()
			text := startAt(strings.Replace(options, "poisson", process, 1), now.Add(10*time.Second))
			if err := r.Configure(mustParse(t, text), nil); err != nil {
				t.Fatal(err)
			}
			if !r.AwaitStart(t.Context()) || time.Since(now) != want {
				t.Errorf("%s: waited %v, want %v", process, time.Since(now), want)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if !r.AwaitStart(ctx) {
				t.Errorf("%s: it waited again", process)
			}
		})
	}
}

func TestTheStartOfARunDoesNotFollowAClockThatIsSet(t *testing.T) {
	options := mustParse(t, startAt(options, time.Now().Add(time.Hour)))
	// A time with a monotonic reading shows it; without, the wait would follow the clock of the machine.
	if text := options.Spec.StartAt.String(); !strings.Contains(text, "m=+") {
		t.Errorf("the start %s has no monotonic reading", text)
	}
}

func TestStartPacerMakesOneForItsSegment(t *testing.T) {
	r := New()
	if _, err := r.StartPacer(pacer.Segment{}, "chat"); err == nil {
		t.Error("there was a pacer before configure()")
	}
	if err := r.Configure(mustParse(t, options), nil); err != nil {
		t.Fatal(err)
	}
	first, err := r.StartPacer(pacer.Segment{Share: 0.5}, "chat")
	if err != nil {
		t.Fatal(err)
	}
	if second, _ := r.StartPacer(pacer.Segment{Share: 0.5}, "chat"); second != first || r.Pacers().Stream(0) != first {
		t.Error("a second pacer was made")
	}
}

func TestBeginHappensOnce(t *testing.T) {
	r, times := New(), 0
	r.OnBegin(func() { times++; r.Options() })
	r.Begin()
	r.Begin()
	if times != 1 {
		t.Errorf("begun %d times", times)
	}
}

func TestRequestIDs(t *testing.T) {
	r := New()
	a, b, other := r.NextID(), r.NextID(), New().NextID()
	if a == b || a == other {
		t.Errorf("ids %s, %s, %s", a, b, other)
	}
	for number, id := range []string{a, b} {
		form := fmt.Sprintf("^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-%012x$", number+1)
		if !regexp.MustCompile(form).MatchString(id) {
			t.Errorf("%s is not a UUID that ends with the number of the request, %d", id, number+1)
		}
	}
}
