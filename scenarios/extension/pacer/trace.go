package pacer

import (
	"errors"
	"fmt"
	"time"
)

// Trace is a recorded load: when each arrival was due since the first of them, and the lengths of its requests.
type Trace struct {
	Offsets []time.Duration
	// Lengths in tokens, one per arrival, 0 when it is not known; empty when none is known.
	InputTokens, OutputTokens []int64
}

// due is the arrival of a number; false after the last.
func (t *Trace) due(index int64) (Due, bool) {
	if index >= int64(len(t.Offsets)) {
		return Due{}, false
	}
	return Due{index, t.Offsets[index], lengthAt(t.InputTokens, index), lengthAt(t.OutputTokens, index)}, true
}

func lengthAt(lengths []int64, index int64) int64 {
	if len(lengths) == 0 {
		return 0
	}
	return lengths[index]
}

func (t *Trace) check() error {
	if t == nil || len(t.Offsets) == 0 {
		return errors.New("the trace contains no arrival")
	}
	for name, lengths := range map[string][]int64{"input": t.InputTokens, "output": t.OutputTokens} {
		if len(lengths) != 0 && len(lengths) != len(t.Offsets) {
			return fmt.Errorf("the trace contains %d arrivals and %d lengths of %s; give one per arrival, or none", len(t.Offsets), len(lengths), name)
		}
	}
	before := time.Duration(0)
	for index, offset := range t.Offsets {
		if offset < before {
			return fmt.Errorf("arrival %d of the trace is due at %v, before the previous one (%v); sort them", index, offset, before)
		}
		before = offset
	}
	return nil
}
