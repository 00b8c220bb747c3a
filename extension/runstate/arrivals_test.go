package runstate

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"assay.dev/k6/pacer"
	"assay.dev/k6/record"
)

func TestOnlyArrivalsWhoseRequestsDoNotTellTheirEndAreWritten(t *testing.T) {
	var a Arrivals
	var lines []string
	due := time.Now()
	a.WriteTo(func(line record.Arrival) {
		lines = append(lines, fmt.Sprint(line.Index, " ", line.Phase, " ", line.Scheduled.Sub(due), " ", line.End, " ", line.Detail))
	})
	arrivals := make([]pacer.Arrival, 6)
	for k := range arrivals {
		arrivals[k] = pacer.Arrival{Index: int64(k), Phase: pacer.Measure, Scheduled: due.Add(time.Duration(k)), Free: due.Add(time.Hour)}
	}
	arrivals[4].Scheduled = time.Time{} // of a closed loop
	for _, arrival := range arrivals[:5] {
		a.Started(arrival)
	}
	a.Completed(arrivals[0])
	a.Ended(arrivals[1], record.Threw, "Error: no")
	a.Ended(arrivals[2], record.NoRequest, "")
	if ended := a.TakeEnded(); !slices.Equal(ended, []int64{0, 1, 2}) {
		t.Errorf("ended are %v", ended)
	}
	if ended := a.TakeEnded(); len(ended) > 0 {
		t.Errorf("ended twice: %v", ended)
	}
	a.Close(arrivals[5:])
	a.Close(nil)
	want := []string{"1 measure 1ns threw Error: no", "2 measure 2ns no_request ", "3 measure 3ns unfinished ", "4 measure 1h0m0s unfinished ", "5 measure 5ns not_started "}
	if !slices.Equal(lines, want) {
		t.Errorf("got %q, want %q", lines, want)
	}
}

func TestArrivalsNeedNoFile(t *testing.T) {
	var a Arrivals
	a.Started(pacer.Arrival{})
	a.Completed(pacer.Arrival{})
	if ended := a.TakeEnded(); ended != nil {
		t.Errorf("kept for nobody: %v", ended)
	}
	a.Close(nil)
}

func TestRedactBlanksTheSecretsOfEveryRequest(t *testing.T) {
	r := New()
	for _, secret := range []string{"secret-one", "secret-two"} {
		r.KeepSecret(secret)
		r.Redact("") // makes it without those that follow
	}
	if got := r.Redact("secret-two, then secret-one"); got != "<redacted>, then <redacted>" {
		t.Errorf("got %s", got)
	}
}
