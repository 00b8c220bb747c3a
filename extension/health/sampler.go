package health

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"time"

	"assay.dev/k6/pacer"
	"assay.dev/k6/record"
	"assay.dev/k6/system"
)

// Sources are where a sampler looks.
type Sources struct {
	Counters *Counters
	// Wakes is nil where wake-ups are not measured.
	Wakes *Wakes
	// Pacers returns nil while there is no schedule.
	Pacers func() *pacer.Group
	// MemoryLimit is the memory in bytes below which the garbage collector is disabled; 0 when it is enabled.
	MemoryLimit func() int64
	// Ended returns the numbers of the arrivals that ended since it was last called; nil where none are counted.
	Ended func() []int64
	// InFlightLimit is the number of virtual users.
	InFlightLimit int
	// Sampled is called after each line, with the collections since the previous one and the heap; nil for nothing to do.
	Sampled func(collections int64, heap system.Heap)
}

// Sampler writes one line per second.
type Sampler struct {
	file    io.WriteCloser
	sources Sources
	failed  func(error)
	start   time.Time
	before  usage
	last    Line // what only the final line has
	stop    chan struct{}
	done    chan error
}

// StartSampler writes lines to file, which [Sampler.Close] closes, with times since start. It calls failed when a write
// fails.
func StartSampler(file io.WriteCloser, sources Sources, start time.Time, failed func(error)) *Sampler {
	s := &Sampler{
		file: file, sources: sources, failed: failed, start: start, before: sampleUsage(),
		stop: make(chan struct{}), done: make(chan error, 1),
	}
	go s.run()
	return s
}

// End is what only the final line has.
type End struct {
	// Records is the number of records written, Broken the error that prevented more.
	Records int64
	Broken  error
	// Stopped is what ended the run before its time, nil when it ran to its end.
	Stopped error
}

// Close writes the last line, with how the run ended.
func (s *Sampler) Close(end End) error {
	s.last = Line{Final: true, Records: &end.Records, Error: text(end.Broken), Stopped: text(end.Stopped)}
	close(s.stop)
	return <-s.done
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func (s *Sampler) run() {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			if err := s.sample(Line{}); err != nil {
				s.failed(err)
				<-s.stop
				_ = s.file.Close()
				s.done <- err
				return
			}
		case <-s.stop:
			err := s.sample(s.last)
			if closeErr := s.file.Close(); err == nil && closeErr != nil {
				err = fmt.Errorf("cannot close the client's health file: %w", closeErr)
			}
			s.done <- err
			return
		}
	}
}

func (s *Sampler) sample(line Line) error {
	now := sampleUsage()
	line.T = round(now.at.Sub(s.start).Seconds(), 3)
	line.CPUs, line.InFlightLimit = runtime.GOMAXPROCS(0), s.sources.InFlightLimit
	line.used(s.before, now)
	s.before = now
	line.requests(s.sources.Counters.take())
	line.connections(&s.sources.Counters.Network)
	if limit := s.sources.MemoryLimit(); limit > 0 {
		line.MemoryLimitMB = pointer(round(float64(limit)/(1<<20), 1))
	}
	line.woken(s.sources.Wakes.take())
	if s.sources.Ended != nil {
		line.Ended = s.sources.Ended()
	}
	if p := s.sources.Pacers(); p != nil {
		line.arrivals(p.Counts())
		if start := p.Start(); !start.IsZero() {
			line.ScheduleStartedAt = record.Instant(start)
		}
	}
	text, err := json.Marshal(line)
	if err == nil {
		_, err = s.file.Write(append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("cannot write the health of the load generator: %w; free space on its disk, then run again", err)
	}
	if s.sources.Sampled != nil {
		s.sources.Sampled(line.GCCycles, system.Heap{Live: int64(now.live), Now: int64(now.heap)})
	}
	return nil
}
