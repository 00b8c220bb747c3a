package users

import (
	"sync"

	"assay.dev/k6/runstate"
	"go.k6.io/k6/v2/lib"
)

// pool hands out the users that were made before the run, each to the k6 scenario that it is for: k6 has one buffer for all.
type pool struct {
	run  *runstate.Run
	mu   sync.Mutex
	kept map[string][]lib.InitializedVU // users of other scenarios than the one that took them out, by their own
}

// take returns a user of a scenario; next takes one out of the buffer of k6.
func (p *pool) take(scenario string, next func() (lib.InitializedVU, error)) (lib.InitializedVU, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if kept := p.kept[scenario]; len(kept) > 0 {
			p.kept[scenario] = kept[1:]
			return kept[0], nil
		}
		user, err := next()
		if err != nil {
			return nil, err
		}
		_, of, ok := p.run.StreamOf(int64(user.GetID()))
		if !ok || of == scenario {
			return user, nil
		}
		p.kept[of] = append(p.kept[of], user)
	}
}
