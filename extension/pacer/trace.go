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
	// Turns are those of conversations, after the first; without starts where each arrival is a single request.
	Turns Turns
}

// Turns are the later turns of conversations: those of all arrivals, one after another.
type Turns struct {
	// Starts is where those of each arrival begin, and at last where they end.
	Starts []int64
	// ThinkMS is the time from the end of the response before to each, in milliseconds.
	ThinkMS []float64
	// Tokens of what the user says in each, and of the response; 0 when they are not known.
	InputTokens, OutputTokens []int64
}

// Turn is one turn of a conversation, after the first; the members are those of Turns.
type Turn struct {
	ThinkMS      float64 `js:"thinkMs"`
	InputTokens  int64   `js:"inputTokens"`
	OutputTokens int64   `js:"outputTokens"`
}

// TurnsOf are the later turns of an arrival; nil where it is a single request.
func (t *Trace) TurnsOf(index int64) []Turn {
	if t == nil || index+1 >= int64(len(t.Turns.Starts)) {
		return nil
	}
	var turns []Turn
	for at := t.Turns.Starts[index]; at < t.Turns.Starts[index+1]; at++ {
		turns = append(turns, Turn{t.Turns.ThinkMS[at], t.Turns.InputTokens[at], t.Turns.OutputTokens[at]})
	}
	return turns
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

// mostIn is the highest number of arrivals within a time.
func (t *Trace) mostIn(d time.Duration) (most int64) {
	first := 0
	for last, offset := range t.Offsets {
		for offset-t.Offsets[first] >= d {
			first++
		}
		most = max(most, int64(last-first+1))
	}
	return most
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
	if err := checkStarts("blocks", t.Blocks.Starts, len(t.Offsets), len(t.Blocks.IDs)); err != nil {
		return err
	}
	if len(t.Blocks.Starts) > 0 && t.Blocks.Tokens < 1 {
		return fmt.Errorf("the trace has blocks of %d tokens; give 1 or more", t.Blocks.Tokens)
	}
	turns := min(len(t.Turns.ThinkMS), len(t.Turns.InputTokens), len(t.Turns.OutputTokens))
	if err := checkStarts("turns", t.Turns.Starts, len(t.Offsets), turns); err != nil {
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

// checkStarts checks where the blocks, or turns, of each arrival begin among all of them.
func checkStarts(what string, starts []int64, arrivals, all int) error {
	if len(starts) == 0 {
		return nil
	}
	if len(starts) != arrivals+1 {
		return fmt.Errorf("the trace has %d starts of %s for %d arrivals; give one per arrival and the end", len(starts), what, arrivals)
	}
	before := int64(0)
	for _, start := range starts {
		if start < before || start > int64(all) {
			return fmt.Errorf("the %s of the trace start at %d after %d, and there are %d", what, start, before, all)
		}
		before = start
	}
	return nil
}
