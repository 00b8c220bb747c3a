package alarm

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestATimerWakesAtItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, start := NewTimer(), time.Now()
		if !a.Wait(2*time.Millisecond) || time.Since(start) != 2*time.Millisecond {
			t.Errorf("woke after %v, want 2ms", time.Since(start))
		}
	})
}

func TestAlarmsWakeAndStop(t *testing.T) {
	for name, create := range map[string]func() Alarm{"system": New, "timer": NewTimer} {
		a, later, woken := create(), create(), make(chan bool, 1)
		go func() { woken <- later.Wait(time.Hour) }()
		if !a.Wait(2 * time.Millisecond) {
			t.Errorf("%s: it did not go off", name)
		}
		if later.Stop(); <-woken {
			t.Errorf("%s: an alarm went off when another one did", name)
		}
		if !a.Wait(-time.Second) {
			t.Errorf("%s: a time in the past was refused", name)
		}
		go a.Stop()
		if a.Wait(time.Minute) {
			t.Errorf("%s: a stopped alarm went off", name)
		}
		if a.Wait(time.Minute) {
			t.Errorf("%s: a stopped alarm can be set again", name)
		}
	}
}
