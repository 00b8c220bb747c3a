// Package redact keeps secrets out of texts that are written, even when the target repeats them in an encoding. Its rule is
// that of lib/redact.ts; both pass the cases of lib/testdata/redaction.json.
package redact

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/base64"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// mark replaces a secret.
const mark = "<redacted>"

const (
	// shortestPart is the least size of a part of a secret that is replaced where a text was cut.
	shortestPart = 4
	// cut is where texts were cut.
	cut = "…"
	// gzipMagic is what gzip begins with, and gzipped the same in base64.
	gzipMagic = "\x1f\x8b\x08"
	gzipped   = "H4sI"
	// mostPacked compressed parts of a text are looked into; what follows them is replaced unread.
	mostPacked   = 16
	mostUnpacked = 1 << 20
	// longestMixed is the size of a text above which escapes of several kinds are undone together only.
	longestMixed = 64 << 10
	// longestBroken is how many bytes may be left of escapes that were cut off.
	longestBroken = 24
	// deepestPacked compressed parts within compressed parts are looked into.
	deepestPacked = 2
)

// Redactor replaces secrets. It is safe for concurrent use.
type Redactor struct {
	forms [256][]string // by their first byte
	heads [256][]part   // by their last byte
	tails [256][]part   // by their first byte
	first [256]bool     // bytes with which anything begins that is looked for
	empty bool
}

// part is the beginning of a form, or its end.
type part struct {
	form string
	size int
}

// New returns a redactor for secrets; one of fewer than 8 bytes is ignored, as it occurs in texts by chance, and so is the
// white space around one.
func New(secrets []string) *Redactor {
	var known []string
	for _, secret := range secrets {
		if secret = strings.TrimSpace(secret); len(secret) >= shortestSecret && !slices.Contains(known, secret) {
			known = append(known, secret)
		}
	}
	slices.SortStableFunc(known, func(a, b string) int {
		return cmp.Compare(utf8.RuneCountInString(b), utf8.RuneCountInString(a))
	})
	r := &Redactor{empty: len(known) == 0}
	for _, secret := range known {
		holdsAnother := slices.ContainsFunc(known, func(other string) bool {
			return other != secret && strings.Contains(secret, other)
		})
		for _, form := range formsOf(secret, !holdsAnother) {
			r.add(form)
		}
	}
	longestFirst := func(a, b part) int { return cmp.Compare(b.size, a.size) }
	for c := range 256 {
		slices.SortStableFunc(r.heads[c], longestFirst)
		slices.SortStableFunc(r.tails[c], longestFirst)
		r.first[c] = r.forms[lower(byte(c))] != nil
	}
	r.first[cut[0]], r.first[gzipped[0]], r.first[gzipMagic[0]] = true, true, true
	return r
}

func (r *Redactor) add(form string) {
	r.forms[form[0]] = append(r.forms[form[0]], form)
	for size := len(form) - 1; size >= shortestPart; size-- {
		head, tail := form[size-1], form[len(form)-size]
		r.heads[head] = append(r.heads[head], part{form, size})
		r.tails[tail] = append(r.tails[tail], part{form, size})
	}
}

// Text replaces every secret within a text, in the encodings in which services repeat them, and the part of one that is
// left beside an ellipsis. It allocates nothing when there is neither one nor an escape.
func (r *Redactor) Text(text string) string {
	if r.empty || len(text) < shortestPart || !r.mayFind(text) {
		return text
	}
	found := r.find([]byte(text), false, 0)
	if len(found) == 0 {
		return text
	}
	slices.SortStableFunc(found, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var out strings.Builder
	copied := 0
	for _, each := range found {
		if each.from >= copied {
			out.WriteString(text[copied:each.from])
			out.WriteString(mark)
		}
		copied = max(copied, each.to)
	}
	out.WriteString(text[copied:])
	return out.String()
}

// mayFind reports whether a text holds an escape, or begins anywhere as something that is looked for does.
func (r *Redactor) mayFind(text string) bool {
	for at := range len(text) {
		switch c := text[at]; {
		case c == '%' || c == '&' || c == '\\' || c == cut[0] || c == gzipped[0]:
			return true
		case r.first[c]:
			for _, form := range r.forms[lower(c)] {
				// The second byte tells most texts from a secret.
				if at+1 < len(text) && lower(text[at+1]) == form[1] {
					return true
				}
			}
		}
	}
	return false
}

// span is a place of a secret in a text.
type span struct{ from, to int }

// find returns the places of secrets, in any order.
func (r *Redactor) find(text []byte, isCut bool, depth int) (found []span) {
	findIn := func(layer located) {
		r.findIn(layer.bytes, isCut, depth, func(from, to int) {
			found = append(found, span{layer.place(from), layer.place(to)})
		})
	}
	whole := located{bytes: text}
	findIn(whole)
	mixed := len(whole.kinds(escapes)) > 1
	for _, layer := range whole.layers(escapes) {
		findIn(layer)
		mixed = mixed || len(layer.kinds(escapes)) > 1
	}
	if mixed && len(text) <= longestMixed {
		whole.eachOrder(escapes, findIn)
	}
	return found
}

func (r *Redactor) findIn(text []byte, isCut bool, depth int, found func(from, to int)) {
	packed := 0
	for at := 0; at < len(text); at++ {
		if !r.first[text[at]] {
			continue
		}
		if end := r.formAt(text, at); end > 0 {
			found(at, end)
		}
		rest := text[at:]
		if bytes.HasPrefix(rest, []byte(cut)) {
			r.before(text, at, found)
			r.after(text, at+len(cut), found)
		} else if isBase64 := bytes.HasPrefix(rest, []byte(gzipped)); isBase64 || bytes.HasPrefix(rest, []byte(gzipMagic)) {
			if packed++; packed > mostPacked {
				found(at, len(text))
				break
			}
			if size := r.packedSize(rest, isBase64, depth); size > 0 {
				found(at, at+size)
				if size == len(rest) {
					break
				}
			}
		}
	}
	if isCut {
		r.before(text, len(text), found)
	}
}

// formAt returns where the form that begins at a place ends; 0 when there is none.
func (r *Redactor) formAt(text []byte, at int) int {
	for _, form := range r.forms[lower(text[at])] {
		if end := endOf(text, at, form); end > 0 {
			return end
		}
	}
	return 0
}

// before finds the beginning of a form before a cut; an escape after it may be left in part, or read as another character.
func (r *Redactor) before(text []byte, cut int, found func(from, to int)) {
	for _, end := range append(brokenEscapes(text, cut), cut, characterBefore(text, cut)) {
		if end == 0 {
			continue
		}
		for _, head := range r.heads[lower(text[end-1])] {
			if head.size <= end && same(text[end-head.size:end], head.form[:head.size]) {
				found(end-head.size, cut)
				break
			}
		}
	}
}

// after finds the end of a form after a cut.
func (r *Redactor) after(text []byte, cut int, found func(from, to int)) {
	if cut == len(text) {
		return
	}
	for _, tail := range r.tails[lower(text[cut])] {
		if cut+tail.size <= len(text) && same(text[cut:cut+tail.size], tail.form[len(tail.form)-tail.size:]) {
			found(cut, cut+tail.size)
			return
		}
	}
}

// packedSize is the size of what a text begins with, compressed with gzip, when that holds a secret; 0 when it does not.
func (r *Redactor) packedSize(text []byte, isBase64 bool, depth int) int {
	data, size := text, len(text)
	if isBase64 {
		size = 0
		for size < len(text) && (alphanumeric(text[size]) || strings.IndexByte("+/-_", text[size]) >= 0) {
			size++
		}
		standard := strings.NewReplacer("-", "+", "_", "/").Replace(string(text[:size]))
		data, _ = base64.RawStdEncoding.DecodeString(standard) // what could be read
	}
	if depth >= deepestPacked {
		return size
	}
	unpacked, whole := unpack(data)
	if whole && len(r.find(unpacked, true, depth+1)) == 0 {
		return 0
	}
	return size
}

// unpack returns what gzip makes of data, as much of it as they hold; false when that is too much to look at.
func unpack(data []byte) (unpacked []byte, whole bool) {
	reader, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, true
	}
	unpacked, _ = io.ReadAll(io.LimitReader(reader, mostUnpacked+1)) // what could be read
	return unpacked, len(unpacked) <= mostUnpacked
}

// lower is a byte, a letter of ASCII in lower case; what stands for a space is one: white space, and a plus in addresses.
func lower(c byte) byte {
	switch {
	case c >= 'A' && c <= 'Z':
		return c + ('a' - 'A')
	case c == '\t' || c == '\n' || c == '\r' || c == '+':
		return ' '
	default:
		return c
	}
}

// endOf returns where a form that begins at a place ends; 0 when the text is another.
func endOf(text []byte, at int, form string) int {
	for i := range len(form) {
		if at >= len(text) || lower(text[at]) != form[i] {
			return 0
		}
		at++
		for form[i] == ' ' && at < len(text) && lower(text[at]) == ' ' {
			at++
		}
	}
	return at
}

func same(text []byte, form string) bool {
	for i := range len(form) {
		if lower(text[i]) != form[i] {
			return false
		}
	}
	return true
}

// brokenEscapes returns where an escape may begin that was cut off, one within the other.
func brokenEscapes(text []byte, cut int) (found []int) {
	for at := cut - 1; at >= max(0, cut-longestBroken); at-- {
		switch c := text[at]; {
		case strings.IndexByte(escapes, c) >= 0:
			found = append(found, at)
		case !alphanumeric(c) && c != '_' && c != '#' && c != ';':
			return found
		}
	}
	return found
}

// characterBefore returns where the character before a place begins.
func characterBefore(text []byte, at int) int {
	start := max(0, at-1)
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	return start
}
