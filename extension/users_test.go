package main

import (
	"strings"
	"testing"
)

// An open load at this rate has 200 virtual users from its start.
func TestVirtualUsersAreMadeUntilAllRequestsThatMayBeInFlightAre(t *testing.T) {
	target := newService(t, func(s *service) { s.hold = true })
	run := startK6(t, target.URL, []string{"STEPS=stream", "SECONDS=3600", "RATE=100", "VUS=215", "STALL_MS=0"}, nil)
	run.interruptAt(215)
	if got := tally(run.records()); got["chat.stream cancelled_by_us"] != 215 {
		t.Errorf("got %v, want 215 cut off", got)
	}
	if final := run.final(); final["in_flight_limit"] != 215.0 {
		t.Errorf("in-flight limit %v, want 215", final["in_flight_limit"])
	}
}

// A few virtual users make the requests, and as many of them are under way as may be.
func TestVirtualUsersHandTheirRequestsOver(t *testing.T) {
	target := newService(t, func(s *service) { s.hold = true })
	env := []string{"STEPS=last", "SECONDS=3600", "RATE=1000", "VUS=400", "STALL_MS=0", "HANDS_OVER=1"}
	run := startK6(t, target.URL, env, nil)
	run.interruptAt(400)
	if got := tally(run.records()); got["chat.stream cancelled_by_us"] != 400 {
		t.Errorf("got %v, want 400 cut off", got)
	}
	if final := run.final(); final["in_flight_limit"] != 400.0 {
		t.Errorf("in-flight limit %v, want 400", final["in_flight_limit"])
	}
	ends := run.arrivals()
	if unfinished, never := len(ends["unfinished"]), len(ends["not_started"]); unfinished != 400 || never == 0 {
		t.Errorf("%d arrivals unfinished and %d not started, want the 400 that were under way, and others", unfinished, never)
	}
}

func TestARunEndsAfterTheRequestsThatWereHandedOver(t *testing.T) {
	run := startK6(t, newService(t).URL, []string{"STEPS=last", "MAX_ARRIVALS=60", "RATE=200", "HANDS_OVER=1", "VUS=30"}, nil)
	run.expectExit(0)
	if got := tally(run.records()); got["chat.stream ok"] != 60 || len(run.arrivals()) != 0 {
		t.Errorf("got %v and %v, want 60 that were read to their end", got, run.arrivals())
	}
	for _, r := range run.records() {
		if r["phase"] != "measure" || r["slot_wait"] == nil {
			t.Errorf("record %v", r)
		}
	}
}

// Of three streams at this rate, each has 66 virtual users from its start.
func TestVirtualUsersTakeArrivalsOfTheStreamThatTheyWereMadeFor(t *testing.T) {
	target := newService(t, func(s *service) { s.hold = true })
	env := []string{"STREAMS=c,a,b", "STEPS=ofOwnStream,stream", "SECONDS=3600", "RATE=30", "VUS=70", "STALL_MS=0"}
	run := startK6(t, target.URL, env, nil)
	run.interruptAt(210)
	if got := len(run.arrivals()["threw"]); got != 0 {
		t.Errorf("%d arrivals were given to users of other streams: %s", got, run.log.String())
	}
}

func TestAScriptThatAbortsTheTestEndsAllVirtualUsers(t *testing.T) {
	run := startK6(t, newService(t).URL, []string{"STEPS=chat,abort", "SECONDS=3600"}, nil)
	run.expectExit(108)
	if log := run.log.String(); !strings.Contains(log, "test aborted: enough") {
		t.Errorf("it said %s, want the reason", log)
	}
}
