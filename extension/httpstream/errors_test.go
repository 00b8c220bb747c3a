package httpstream

import (
	"errors"
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
