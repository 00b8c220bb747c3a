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
	// Blocks of the prompts; without ids when they are not known.
	Blocks Blocks
	// Sessions numbers that of each arrival; empty when none is known.
	Sessions []int64
}

// Blocks are the blocks of prompts: prompts with the same id have the same text there.
type Blocks struct {
	// Tokens of each; the last block of a prompt may have fewer.
	Tokens int64
	// IDs of all prompts, one after another. Starts is where those of each begin, and at last where they end.
	IDs, Starts []int64
}

// BlocksOf are the ids of the blocks of an arrival's prompt; nil when they are not known.
func (t *Trace) BlocksOf(index int64) []int64 {
	if t == nil || index+1 >= int64(len(t.Blocks.Starts)) {
		return nil
	}
	return t.Blocks.IDs[t.Blocks.Starts[index]:t.Blocks.Starts[index+1]]
}

// SessionOf is the number of the session of an arrival: one of its own, unless the trace states another one.
func (t *Trace) SessionOf(index int64) int64 {
	if t == nil || index >= int64(len(t.Sessions)) {
		return index
	}
	return t.Sessions[index]
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
	if err := t.Blocks.check(len(t.Offsets)); err != nil {
		return err
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

func (b Blocks) check(arrivals int) error {
	if len(b.Starts) == 0 {
		return nil
	}
	if len(b.Starts) != arrivals+1 || b.Tokens < 1 {
		return fmt.Errorf("the trace has %d starts of blocks of %d tokens for %d arrivals; give one per arrival and the end", len(b.Starts), b.Tokens, arrivals)
	}
	before := int64(0)
	for _, start := range b.Starts {
		if start < before || start > int64(len(b.IDs)) {
			return fmt.Errorf("the blocks of the trace start at %d after %d, and there are %d", start, before, len(b.IDs))
		}
		before = start
	}
	return nil
}
