package parentpipe

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

func TestWatchEndsTheProcessWhenThePipeCloses(t *testing.T) {
	for name, tt := range map[string]struct {
		interrupt error
		want      time.Duration // until killed, from the close of the pipe
	}{
		"in good order first":          {nil, Patience},
		"at once without an interrupt": {errors.New("not supported"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pipe, end := io.Pipe()
				interrupted, killed := make(chan time.Time, 1), make(chan time.Time, 1)
				go Watch(pipe, Patience, func() error { interrupted <- time.Now(); return tt.interrupt }, func() { killed <- time.Now() })
				time.Sleep(time.Minute)
				synctest.Wait()
				if len(interrupted) > 0 {
					t.Fatal("interrupted while the parent lives")
				}
				closed := time.Now()
				_ = end.Close()
				if at := <-interrupted; !at.Equal(closed) {
					t.Errorf("interrupted %v after the pipe closed", at.Sub(closed))
				}
				if at := <-killed; at.Sub(closed) != tt.want {
					t.Errorf("killed %v after the pipe closed, want %v", at.Sub(closed), tt.want)
				}
			})
		})
	}
}
