// Package users is the executor of k6 whose virtual users take the arrivals of a run. Those that an open load may need for a
// slow target only are made when their arrivals come: each takes a quarter of a megabyte.
package users

import (
	"context"
	"errors"
	"sync"
	"time"

	"assay.dev/k6/module"
	"assay.dev/k6/pacer"
	"assay.dev/k6/runstate"
	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/executor"
	"go.k6.io/k6/v2/metrics"
)

// Name is the name under which scripts ask for the executor.
const Name = "assay-users"

// Register makes the executor known to k6, for the virtual users of a run.
func Register(run *runstate.Run) {
	made := &pool{run: run, kept: map[string][]lib.InitializedVU{}}
	lib.RegisterExecutorConfigType(Name, func(name string, raw []byte) (lib.ExecutorConfig, error) {
		c := config{executor.NewPerVUIterationsConfig(name), run, made}
		err := lib.StrictJSONUnmarshal(raw, &c.PerVUIterationsConfig)
		return c, err
	})
}

// config is that of per-vu-iterations, whose users have one iteration each.
type config struct {
	executor.PerVUIterationsConfig
	run  *runstate.Run
	made *pool
}

// ready is how many users are made before the run.
func (c config) ready(et *lib.ExecutionTuple) int64 {
	most := c.VUs.Int64
	if options := c.run.Options(); options != nil {
		if spec, err := options.SpecOf(c.Name); err == nil {
			// Its most are those of the part; the rates are those of the run.
			spec.Segment = spec.Segment.Within(options.Part)
			most = spec.Ready(most, int64(len(options.Streams)))
		}
	}
	return et.ScaleInt64(most)
}

// GetExecutionRequirements implements [lib.ExecutorConfig].
func (c config) GetExecutionRequirements(et *lib.ExecutionTuple) []lib.ExecutionStep {
	ready := c.ready(et)
	return []lib.ExecutionStep{
		{PlannedVUs: uint64(ready), MaxUnplannedVUs: uint64(c.GetVUs(et) - ready)},
		{TimeOffset: c.longest()},
	}
}

// longest is the time after which the users are stopped.
func (c config) longest() time.Duration { return c.MaxDuration.TimeDuration() + c.GetGracefulStop() }

// NewExecutor implements [lib.ExecutorConfig].
func (c config) NewExecutor(es *lib.ExecutionState, logger *logrus.Entry) (lib.Executor, error) {
	c.run.Users.Plan(c.Name, c.ready(es.ExecutionTuple))
	return &users{
		BaseExecutor: executor.NewBaseExecutor(c, es, logger), config: c, state: es, index: lib.NewSegmentedIndex(es.ExecutionTuple),
	}, nil
}

// users are those of one scenario.
type users struct {
	*executor.BaseExecutor
	config config
	state  *lib.ExecutionState

	ctx    context.Context
	cancel context.CancelCauseFunc
	over   context.CancelFunc // the schedule is over: no further user is made
	active sync.WaitGroup

	mu    sync.Mutex
	index *lib.SegmentedIndex
}

// Run implements [lib.Executor].
func (u *users) Run(parent context.Context, _ chan<- metrics.SampleContainer) error {
	ctx, stop := context.WithTimeout(parent, u.config.longest())
	defer stop()
	began := time.Now()
	ctx = lib.WithScenarioState(ctx, &lib.ScenarioState{
		Name: u.config.Name, Executor: Name, StartTime: began, ProgressFn: func() (float64, []string) {
			return min(1, float64(time.Since(began))/float64(u.config.MaxDuration.TimeDuration())), nil
		},
	})
	u.ctx, u.cancel = context.WithCancelCause(ctx)
	defer u.cancel(nil)
	growing, over := context.WithCancel(u.ctx)
	u.over = over
	defer over()
	ready, most := u.config.ready(u.state.ExecutionTuple), u.config.GetVUs(u.state.ExecutionTuple)
	unmade := most - ready
	if p, err := u.pacer(); err == nil && p.Limit(most) { // the users say what is wrong
		unmade = 0
	}
	for range ready {
		user, err := u.config.made.take(u.config.Name, func() (lib.InitializedVU, error) {
			return u.state.GetPlannedVU(u.GetLogger(), false)
		})
		if err != nil {
			u.cancel(err)
			break
		}
		u.start(user)
	}
	u.active.Add(1)
	go u.grow(growing, unmade)
	u.active.Wait()
	return u.failure()
}

// failure is the error that ended the users, if one did.
func (u *users) failure() error {
	err := context.Cause(u.ctx)
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// start lets a user take arrivals until there are no more.
func (u *users) start(user lib.InitializedVU) {
	u.state.ModCurrentlyActiveVUsCount(+1)
	u.active.Add(1)
	ctx, end := context.WithCancel(u.ctx)
	c := u.config
	active := user.Activate(&lib.VUActivationParams{
		RunContext: ctx, Scenario: c.Name, Exec: c.GetExec(), Env: c.GetEnv(), Tags: c.GetTags(),
		GetNextIterationCounters: u.nextCounters,
		DeactivateCallback: func(user lib.InitializedVU) {
			u.state.ReturnVU(user, true)
			u.active.Done()
		},
	})
	go func() {
		defer end()
		u.ended(active.RunOnce())
	}()
}

// nextCounters numbers the iterations, within this segment and within the run.
func (u *users) nextCounters() (scaled, unscaled uint64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	own, all := u.index.Next()
	return uint64(own - 1), uint64(all - 1)
}

// ended takes how the only iteration of a user ended.
func (u *users) ended(err error) {
	u.over()
	switch {
	case u.ctx.Err() != nil:
		u.state.AddInterruptedIterations(1)
		return
	case errext.IsInterruptError(err):
		u.state.AddInterruptedIterations(1)
		u.cancel(err)
		return
	case err != nil:
		text, fields := errext.Format(err)
		u.GetLogger().WithFields(fields).Error(text)
	}
	u.state.AddFullIterations(1)
}

// grow makes so many users, each when the arrivals need one. It rests as long as each takes, for requests under way.
func (u *users) grow(ctx context.Context, unmade int64) {
	defer u.active.Done()
	if unmade == 0 {
		return
	}
	p, err := u.pacer()
	if err != nil {
		return // the users that are made say so
	}
	for ; unmade > 0; unmade-- {
		select {
		case <-p.Demand(unmade):
		case <-ctx.Done():
			return
		}
		var (
			user  lib.InitializedVU
			began time.Time
		)
		u.config.run.Users.Further(u.config.Name, func() {
			began = time.Now()
			user, err = u.state.GetUnplannedVU(ctx, u.GetLogger())
		})
		if err != nil {
			if ctx.Err() == nil {
				u.cancel(err)
			}
			return
		}
		u.start(user)
		pacer.Sleep(ctx, time.Since(began))
	}
	p.Demand(0)
}

func (u *users) pacer() (*pacer.Pacer, error) {
	segment, err := module.SegmentOf(u.state.Test.Options, u.config.run.Part())
	if err != nil {
		return nil, err
	}
	return u.config.run.StartPacer(segment, u.config.Name)
}
