package main

import (
	"encoding/pem"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

func TestCertificatesOfCAFileAreTrusted(t *testing.T) {
	target := newSecureService(t)
	file := certificateOf(t, target)
	for _, tt := range []struct {
		env  []string
		want string
	}{{[]string{"CA_FILE=" + file}, "chat ok"}, {nil, "chat tls"}} {
		run := startK6(t, target.URL, append(tt.env, "STEPS=chat", "MAX_ARRIVALS=3"), nil)
		run.expectExit(0)
		if got := tally(run.records()); got[tt.want] != 3 {
			t.Errorf("%v: got %v, want 3 %s", tt.env, got, tt.want)
		}
	}
}

// certificateOf is a file with the certificate of a service over TLS.
func certificateOf(t *testing.T, target *service) string {
	t.Helper()
	block := pem.Block{Type: "CERTIFICATE", Bytes: target.Certificate().Raw}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&block), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestRequestsOverHTTP2HaveAConnectionEachOrShareAsManyAsTheRunSays(t *testing.T) {
	for _, tt := range []struct {
		env  []string
		want int64
	}{
		{[]string{"STEPS=last", "HANDS_OVER=1"}, 12},
		{[]string{"STEPS=last", "HANDS_OVER=1", "H2_CONNECTIONS=3"}, 3},
		{[]string{"STEPS=stream", "H2_CONNECTIONS=3"}, 3},
	} {
		t.Run(strings.Join(tt.env, " "), func(t *testing.T) {
			t.Parallel()
			var opened atomic.Int64
			target := newSecureService(t, func(s *service) {
				s.hold, s.EnableHTTP2 = true, true
				s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
					if state == http.StateNew {
						opened.Add(1)
					}
				}
			})
			env := append(tt.env, "CA_FILE="+certificateOf(t, target), "SECONDS=3600", "RATE=100", "VUS=12", "STALL_MS=0")
			run := startK6(t, target.URL, env, nil)
			run.interruptAt(12)
			if got := opened.Load(); got != tt.want {
				t.Errorf("%d connections, want %d", got, tt.want)
			}
			known := 0
			for _, r := range run.records() {
				switch proto := r.text("proto"); {
				case proto == "HTTP/2.0":
					known++
				case proto != "" || r.text("outcome") != "cancelled_by_us": // the end of the run may come before the response, which tells
					t.Errorf("a request went over %q", proto)
				}
			}
			if known == 0 {
				t.Error("the protocol of no request is known")
			}
		})
	}
}

func TestASecretThatTheTargetRepeatsIsNotRecorded(t *testing.T) {
	target := newService(t, func(s *service) { s.refuse = true })
	run := startK6(t, target.URL, []string{"STEPS=chat", "MAX_ARRIVALS=1"}, nil)
	run.expectExit(0)
	want := `The target returned status 401. {"error":"no such key: Bearer <redacted>"}`
	if got := run.records()[0]; got.text("detail") != want || got.text("outcome") != "http_error" {
		t.Errorf("got %s with detail %q, want %q", got.text("outcome"), got.text("detail"), want)
	}
}

func TestATraceparentIsSentAndRecordedWhenAskedFor(t *testing.T) {
	target := newService(t)
	run := startK6(t, target.URL, []string{"TRACEPARENT=1", "MAX_ARRIVALS=2"}, nil)
	run.expectExit(0)
	traces := map[string]bool{}
	for _, r := range run.records() {
		trace := r.text("trace_id")
		if sent := target.traces[r.text("id")]; len(trace) != 32 || !strings.HasPrefix(sent, "00-"+trace+"-") || !strings.HasSuffix(sent, "-01") {
			t.Errorf("%s sent %q and recorded trace %q", r.text("op"), sent, trace)
		}
		traces[trace] = true
	}
	if want := len(run.records()); len(traces) != want || want < 10 {
		t.Errorf("%d traces of %d requests", len(traces), want)
	}
}

func TestSegmentsShareARun(t *testing.T) {
	target := newService(t)
	arrivals := map[string]int{}
	for _, segment := range []string{"0:1/2", "1/2:1"} {
		run := startK6(t, target.URL, []string{"STEPS=chat", "RATE=10", "SECONDS=1"}, func(cmd *exec.Cmd) {
			cmd.Args = append(cmd.Args, "--execution-segment", segment, "--execution-segment-sequence", "0,1/2,1")
		})
		run.expectExit(0)
		if header := run.rows("records.jsonl")[0]; header.text("segment") != segment {
			t.Errorf("header %v, want segment %s", header, segment)
		}
		for name, n := range tally(run.records()) {
			arrivals[name] += n
		}
	}
	if want := map[string]int{"chat ok": 10}; !maps.Equal(arrivals, want) {
		t.Errorf("both shards: %v, want %v", arrivals, want)
	}
}
