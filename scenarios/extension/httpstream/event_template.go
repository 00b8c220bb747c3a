package httpstream

import "bytes"

// mold is an event that held content and nothing else of interest, without its text. The events of a stream mostly differ
// in nothing but the text, so one that fits the mold need not be parsed.
type mold struct{ before, after []byte }

func (m *mold) forget() { m.before, m.after = m.before[:0], m.after[:0] }

// learn takes the mold of an event whose text, with its quotes, is the size bytes from at on.
func (m *mold) learn(data []byte, at, size int) {
	m.before = append(m.before[:0], data[:at+1]...)
	m.after = append(m.after[:0], data[at+size-1:]...)
}

// fits reports whether data is an event of this mold with a text that is not empty. A text with escapes is left to the
// parser.
func (m *mold) fits(data []byte) bool {
	if len(m.before) == 0 || len(data) <= len(m.before)+len(m.after) ||
		!bytes.HasPrefix(data, m.before) || !bytes.HasSuffix(data, m.after) {
		return false
	}
	for _, c := range data[len(m.before) : len(data)-len(m.after)] {
		if c < ' ' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
