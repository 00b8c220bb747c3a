package prompts

import "sync/atomic"

// mostKept bounds the texts of a file that are kept, in bytes, and mostNumbered the prompts of one whose texts are kept at all.
const mostKept, mostNumbered = 8 << 20, 1 << 16

// kept holds texts by the numbers of their prompts: a small file is sent again and again. It is safe for concurrent use.
type kept struct {
	texts []atomic.Pointer[string] // none of a long file
	held  atomic.Int64
}

func newKept(prompts int) *kept {
	if prompts > mostNumbered {
		prompts = 0
	}
	return &kept{texts: make([]atomic.Pointer[string], prompts)}
}

// text returns what made returned for a number, if that was kept, and else calls it.
func (k *kept) text(n int, made func() (string, error)) (string, error) {
	if n < 0 || n >= len(k.texts) {
		return made()
	}
	if known := k.texts[n].Load(); known != nil {
		return *known, nil
	}
	text, err := made()
	if err != nil {
		return "", err
	}
	if size := int64(len(text)); k.held.Add(size) > mostKept {
		k.held.Add(-size)
	} else if !k.texts[n].CompareAndSwap(nil, &text) {
		k.held.Add(-size)
	}
	return text, nil
}
