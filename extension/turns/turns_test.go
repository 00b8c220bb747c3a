package turns

import (
	"os"
	"runtime"
	"sync"
	"testing"
	"time"
)

// Users that are ready at the same time let what comes meanwhile be read, whatever their number.
func TestSocketsAreReadBetweenTurns(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const users = 400
	turns := New()
	near, far, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	defer far.Close()
	var (
		mu        sync.Mutex
		went      int // users that had their turn
		wentFirst int // before the reader read
		under     sync.WaitGroup
	)
	under.Go(func() {
		if _, err := near.Read(make([]byte, 1)); err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		wentFirst = went
	})
	runtime.Gosched() // the reader waits
	for range users {
		under.Go(func() {
			turns.Await(time.Time{})
			mu.Lock()
			defer mu.Unlock()
			if went++; went == 1 {
				if _, err := far.Write([]byte{0}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	under.Wait()
	if most := 4 * atOnce; wentFirst > most {
		t.Errorf("%d of %d users had their turn before a waiting reader read, and %d may have", wentFirst, users, most)
	}
}

// Without a bell nobody waits for it.
func TestNobodyWaitsWithoutBell(t *testing.T) {
	turns := New()
	_ = turns.bell.Close()
	var under sync.WaitGroup
	for range 10 * atOnce * runtime.GOMAXPROCS(0) {
		under.Go(func() { turns.Await(time.Time{}) })
	}
	under.Wait()
}
