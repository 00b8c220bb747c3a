package module

import (
	"net/http"
	"testing"

	"assay.dev/k6/httpstream"
	"assay.dev/k6/record"
)

func TestARequestIsNotTakenWhereTheTargetHasNoRoomOrDoesNotRespond(t *testing.T) {
	for _, tt := range []struct {
		status  int
		outcome httpstream.Outcome
		want    bool
	}{
		{http.StatusOK, httpstream.OK, true},
		{http.StatusOK, httpstream.Truncated, true},
		{http.StatusBadRequest, httpstream.HTTPError, true},
		{http.StatusInternalServerError, httpstream.HTTPError, true},
		{http.StatusTooManyRequests, httpstream.RateLimited, false},
		{http.StatusServiceUnavailable, httpstream.HTTPError, false},
		{0, httpstream.Refused, false},
		{0, httpstream.TimedOut, false},
		{0, httpstream.Cancelled, true},
		{0, httpstream.Left, true},
	} {
		r := &record.Record{Result: &httpstream.Result{Status: tt.status, Outcome: tt.outcome}}
		if got := isTaken(r); got != tt.want {
			t.Errorf("status %d, %s: taken %v", tt.status, tt.outcome, got)
		}
	}
}
