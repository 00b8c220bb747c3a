package alarm

import (
	"testing"
	"time"
)

func TestAlarmsWakeAndStop(t *testing.T) {
	for name, make := range map[string]func() Alarm{"system": New, "timer": NewTimer} {
		a, start := make(), time.Now()
		if !a.Wait(2*time.Millisecond) || time.Since(start) < 2*time.Millisecond {
			t.Errorf("%s: woke after %v, want 2ms", name, time.Since(start))
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
