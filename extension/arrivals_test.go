package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// numbers are those of arrivals.
func numbers(arrivals []row) []int {
	all := []int{}
	for _, arrival := range arrivals {
		all = append(all, int(arrival["index"].(float64)))
	}
	slices.Sort(all)
	return all
}

func TestAnArrivalWhoseScenarioThrewOrSentNothingHasALine(t *testing.T) {
	run := startK6(t, newService(t).URL, []string{"STEPS=throwing", "MAX_ARRIVALS=6", "RATE=50"}, nil)
	run.expectExit(0)
	ends := run.arrivals()
	if threw, none := numbers(ends["threw"]), numbers(ends["no_request"]); !slices.Equal(threw, []int{1, 3, 5}) ||
		!slices.Equal(none, []int{0, 2, 4}) || len(ends) != 2 {
		t.Errorf("threw %v, sent nothing %v", threw, none)
	}
	for _, arrival := range ends["threw"] {
		if arrival.text("detail") != "Error: no such key: <redacted>" || arrival.text("phase") != "measure" {
			t.Errorf("arrival %v", arrival)
		}
		if _, err := time.Parse(time.RFC3339Nano, arrival.text("scheduled")); err != nil {
			t.Error(err)
		}
	}
	if final := run.final(); final["records"] != 0.0 {
		t.Errorf("the lines of arrivals count as records: %v", final)
	}
}

func TestAnArrivalThatThrowsAfterARequestHasALineAndARecord(t *testing.T) {
	run := startK6(t, newService(t).URL, []string{"STEPS=chat,throwing", "MAX_ARRIVALS=2", "RATE=50"}, nil)
	run.expectExit(0)
	if got := numbers(run.arrivals()["threw"]); !slices.Equal(got, []int{1}) || len(run.records()) != 2 {
		t.Errorf("threw %v, with %d requests", got, len(run.records()))
	}
}

// The drain ends the virtual users within requests, pauses and JavaScript; no script can catch that.
func TestArrivalsUnderWayAtTheEndAreUnfinishedAndThoseWithoutASlotNotStarted(t *testing.T) {
	for _, steps := range []string{"stream", "wait", "chat,wait", "busy"} {
		for _, async := range []string{"", "1"} {
			t.Run(steps+async, func(t *testing.T) {
				t.Parallel()
				target := newService(t, func(s *service) { s.hold = true })
				run := startK6(t, target.URL,
					[]string{"STEPS=" + steps, "VUS=2", "DRAIN=100ms", "SECONDS=1", "END=10", "STALL_MS=20000", "ASYNC=" + async}, nil)
				run.expectExit(0)
				expectTwoUnfinished(t, run)
			})
		}
	}
}

// expectTwoUnfinished expects that the first two of the ten arrivals had a virtual user until the end, and no other had.
func expectTwoUnfinished(t *testing.T, run *k6) {
	t.Helper()
	ends := run.arrivals()
	if got := numbers(ends["unfinished"]); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("unfinished %v, want the two that started; it said %s", got, run.log.String())
	}
	if strings.Contains(run.log.String(), "source=console") {
		t.Errorf("the script caught the interruption: %s", run.log.String())
	}
	offered := run.final()["offered"].(map[string]any)
	if offered["warmup"] != 5.0 || offered["measure"] != 5.0 {
		t.Errorf("offered %v", offered)
	}
	if got := numbers(ends["not_started"]); !slices.Equal(got, []int{2, 3, 4, 5, 6, 7, 8, 9}) || len(ends) != 2 {
		t.Errorf("not started %v, other ends %d", got, len(ends)-2)
	}
	for _, arrival := range ends["not_started"] {
		if phase := arrival.text("phase"); (phase == "warmup") != (arrival["index"].(float64) < 5) {
			t.Errorf("arrival %v", arrival)
		}
	}
}
