package pacer

import (
	"slices"
	"testing"
	"time"
)

// mostDrawn bounds the arrivals of a schedule that are looked at.
const mostDrawn = 2000

// FuzzSchedule draws the schedule of any spec that passes its check: arrivals are numbered and timed in order, within the
// scheduled time, no more than asked for, and the same each time.
func FuzzSchedule(f *testing.F) {
	f.Add(uint8(0), 10.0, 10.0, 1.0, int64(0), int64(time.Second), int64(0), uint64(1))
	f.Add(uint8(1), 0.0, 100.0, 1.0, int64(time.Second), int64(2*time.Second), int64(5), uint64(2))
	f.Add(uint8(2), 50.0, 0.0, 3.5, int64(0), int64(time.Hour), int64(0), uint64(3))
	f.Add(uint8(2), 1e-300, 1e300, 1e-9, int64(1), int64(1<<62), int64(1), uint64(4))
	f.Fuzz(func(t *testing.T, process uint8, from, to, cv float64, warmup, duration, most int64, seed uint64) {
		spec := Spec{
			Process: []Process{Constant, Poisson, Gamma}[process%3], Rates: []Stage{{from, to}, {to, from}}, CV: cv,
			Warmup: time.Duration(warmup), Duration: time.Duration(duration), MaxArrivals: most, Seed: seed,
		}
		// No run has a trillion arrivals per second, or gaps whose coefficient of variation is below 0.001 or above 1000.
		if spec.Check() != nil || spec.total() < 0 || max(from, to) > 1e12 || spec.Process == Gamma && (cv < 1e-3 || cv > 1e3) {
			return
		}
		first, second := drawn(t, spec), drawn(t, spec)
		if !slices.Equal(first, second) {
			t.Errorf("%+v: two schedules of a spec differ", spec)
		}
		measured := 0
		for i, due := range first {
			if due.Offset < 0 || due.Offset >= spec.total() {
				t.Fatalf("%+v: arrival %d is due at %v of %v", spec, i, due.Offset, spec.total())
			}
			if i > 0 && (due.Index <= first[i-1].Index || due.Offset < first[i-1].Offset) {
				t.Fatalf("%+v: %+v follows %+v", spec, due, first[i-1])
			}
			if due.Offset >= spec.Warmup {
				measured++
			}
		}
		if most > 0 && int64(measured) > most {
			t.Errorf("%+v: %d measured arrivals", spec, measured)
		}
	})
}

func drawn(t *testing.T, spec Spec) (all []Due) {
	t.Helper()
	for schedule := NewSchedule(spec); len(all) < mostDrawn; {
		due, more := schedule.Next()
		if !more {
			break
		}
		all = append(all, due)
	}
	return all
}
