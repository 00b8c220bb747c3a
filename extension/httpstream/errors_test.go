package httpstream

import (
	"errors"
	"strings"
	"testing"
)

func TestALostConnectionIsNoOtherFormat(t *testing.T) {
	connection := new(trace)
	connection.conns.Store(1)
	err := errors.New("net/http: cannot rewind body after connection loss")
	if outcome, detail := sendFailure(err, connection, false); outcome != Truncated {
		t.Errorf("got %s (%s), want %s", outcome, detail, Truncated)
	}
	connection.reused.Store(true)
	if !connection.stale(err) {
		t.Error("the request is not sent again")
	}
}

func TestAnErrorBesideChoicesIsQuotedAlone(t *testing.T) {
	event := `data: {"id":"` + strings.Repeat("c", 200) + `","choices":[{"delta":{}}],"error":{"message":"overloaded"}}` + "\n\n"
	inVirtualTime(t, "", func(t *testing.T) {
		got := ask(t, []step{send(headSSE), chunked(event), send(last)})
		if want := `An event contains an error: {"message":"overloaded"}`; got.Outcome != ErrorFrame || got.Detail != want {
			t.Errorf("got %s (%s), want %s (%s)", got.Outcome, got.Detail, ErrorFrame, want)
		}
	})
}
