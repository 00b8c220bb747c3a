package runstate

import "sync"

// Users tells which stream each virtual user is for. It knows that in its init context, before k6 gives it to a scenario, so that it
// makes what the requests of one workload take, and not what those of all do.
type Users struct {
	mu      sync.Mutex
	planned map[string]int64 // by the k6 scenario
	making  sync.Mutex       // held while a further one is made
	further string           // the k6 scenario that it is for
}

// Plan says how many users of a k6 scenario are made before the run; call it before they are.
func (u *Users) Plan(scenario string, count int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.planned == nil {
		u.planned = map[string]int64{}
	}
	u.planned[scenario] = count
}

// Further calls what makes a further user of a k6 scenario, during the run.
func (u *Users) Further(scenario string, make func()) {
	u.making.Lock()
	defer u.making.Unlock()
	u.mu.Lock()
	u.further = scenario
	u.mu.Unlock()
	make()
}

// of is the k6 scenario of a user by its number, from 1: those that are planned are numbered first, in the order of the streams.
func (u *Users) of(number int64, streams []Stream) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, stream := range streams {
		if number -= u.planned[stream.Scenario]; number <= 0 {
			return stream.Scenario
		}
	}
	return u.further
}

// StreamOf is the stream that a virtual user is for, by its number: its position and its k6 scenario. It returns false for one that
// may be for any: where there is one stream only, and for k6's own user, whose number is 0.
func (r *Run) StreamOf(number int64) (position int, scenario string, ok bool) {
	options := r.Options()
	if options == nil || len(options.Streams) == 0 || number < 1 {
		return 0, "", false
	}
	scenario = r.Users.of(number, options.Streams)
	position, err := options.stream(scenario)
	return position, scenario, err == nil
}
