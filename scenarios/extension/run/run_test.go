package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay.dev/k6/pacer"
)

const options = `{"schedule":{"process":"poisson","rate":5,"warmupMs":1000,"durationMs":2500.5,"maxArrivals":9,"seed":3},
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
		Process: pacer.Poisson, Rate: 5, Warmup: time.Second, Duration: 2500*time.Millisecond + 500*time.Microsecond, MaxArrivals: 9, Seed: 3,
	}
	if got.Spec.Rate != want.Rate || got.Spec.Warmup != want.Warmup || got.Spec.Duration != want.Duration ||
		got.Spec.MaxArrivals != want.MaxArrivals || got.Spec.Seed != want.Seed || got.Limits.Stall != 100*time.Millisecond ||
		got.Limits.Timeout != 0 || string(got.Settings) != `{"b":1,"a":2}` {
		t.Errorf("got %+v", got)
	}
}

func TestConfigureIsIdempotentAndRefusesOtherOptions(t *testing.T) {
	r := New()
	for range 3 {
		if err := r.Configure(mustParse(t, options)); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Configure(mustParse(t, strings.Replace(options, `"seed":3`, `"seed":4`, 1))); err == nil {
		t.Error("other options were accepted")
	}
}

func TestConfigureReadsTheCertificates(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(empty, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{empty: "holds no certificate", empty + ".none": "no such file"} {
		err := New().Configure(mustParse(t, strings.Replace(options, `"stallMs"`, `"caFile":"`+file+`","stallMs"`, 1)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", file, err, want)
		}
	}
}

func TestParseOptionsRefusesWhatItCannotUse(t *testing.T) {
	for _, text := range []string{`{}`, `[]`, strings.Replace(options, "poisson", "trace", 1), strings.Replace(options, `"stallMs":100`, `"stallMs":-1`, 1)} {
		if _, err := ParseOptions([]byte(text)); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
}

func TestStartPacerMakesOneForItsSegment(t *testing.T) {
	r := New()
	half := func(n int64) int64 { return n / 2 }
	if _, err := r.StartPacer(pacer.Segment{}, half); err == nil {
		t.Error("there was a pacer before configure()")
	}
	if err := r.Configure(mustParse(t, options)); err != nil {
		t.Fatal(err)
	}
	first, err := r.StartPacer(pacer.Segment{Share: 0.5}, half)
	if err != nil {
		t.Fatal(err)
	}
	if second, _ := r.StartPacer(pacer.Segment{Share: 0.5}, half); second != first || r.Pacer() != first {
		t.Error("a second pacer was made")
	}
	<-r.PacerReady()
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

func TestRequestIDsDiffer(t *testing.T) {
	r := New()
	if a, b, other := r.NextID(), r.NextID(), New().NextID(); a == b || a == other {
		t.Errorf("ids %s, %s, %s", a, b, other)
	}
}
