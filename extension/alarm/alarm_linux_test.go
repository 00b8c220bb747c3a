package alarm

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestAnAlarmOfTheSystemIsSetToTheNanosecondAndOnce(t *testing.T) {
	if _, ok := New().(*timerFD); !ok {
		t.Fatal("the alarm of the system is not a timerfd")
	}
	want := unix.ItimerSpec{Value: unix.Timespec{Sec: 61, Nsec: 2_000_003}}
	if got := once(time.Minute + time.Second + 2*time.Millisecond + 3); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
