package httpstream

import "bytes"

// eventTemplate is an event that had content and nothing else of interest, without its text. The events of a stream
// mostly differ only in the text, so an event that fits the template need not be parsed.
type eventTemplate struct{ before, after []byte }

func (t *eventTemplate) forget() { t.before, t.after = t.before[:0], t.after[:0] }

// maxTemplate bounds a template in bytes; an event with more beside its text is parsed.
const maxTemplate = 16 << 10

// learn takes the template from an event whose text, with its quotes, is the size bytes from at on.
func (t *eventTemplate) learn(data []byte, at, size int) {
	if len(data)-size > maxTemplate {
		return
	}
	t.before = append(t.before[:0], data[:at+1]...)
	t.after = append(t.after[:0], data[at+size-1:]...)
}

// fits reports whether data is an event of this template with a text that is not empty. A text with escapes is left to
// the parser.
func (t *eventTemplate) fits(data []byte) bool {
	if len(t.before) == 0 || len(data) <= len(t.before)+len(t.after) ||
		!bytes.HasPrefix(data, t.before) || !bytes.HasSuffix(data, t.after) {
		return false
	}
	for _, c := range data[len(t.before) : len(data)-len(t.after)] {
		if c < ' ' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// text is the text of an event that fits; it has no escapes.
func (t *eventTemplate) text(data []byte) []byte { return data[len(t.before) : len(data)-len(t.after)] }
