// Package redact keeps secrets out of texts that are written, even when the target repeats them. Its rule is that of
// lib/redact.ts; both pass the cases of lib/testdata/redaction.json.
package redact

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mark replaces a secret.
const mark = "<redacted>"

const (
	// short is the length below which a secret is replaced only where it stands alone: otherwise it would be cut out of
	// ordinary words.
	short = 8
	// tail is the least length of the beginning of a secret that is replaced where a text was cut.
	tail = 4
	// cut is where excerpts were cut.
	cut = "…"
)

// Redactor replaces secrets. It is safe for concurrent use.
type Redactor struct {
	secrets []string // longest first
	forms   []string
	first   [256]bool // bytes with which a form may begin
}

// New returns a redactor for secrets of any length; empty ones are ignored.
func New(secrets []string) *Redactor {
	r := &Redactor{}
	for _, secret := range secrets {
		if secret != "" && !slices.Contains(r.secrets, secret) {
			r.secrets = append(r.secrets, secret)
		}
	}
	slices.SortStableFunc(r.secrets, func(a, b string) int { return cmp.Compare(length(b), length(a)) })
	for _, secret := range r.secrets {
		for _, form := range formsOf(secret) {
			r.forms = append(r.forms, form)
			r.mayBegin(form)
		}
	}
	return r
}

// mayBegin notes the first byte of a form in either case; all bytes beyond ASCII stand for each other.
func (r *Redactor) mayBegin(form string) {
	if form[0] < utf8.RuneSelf {
		r.first[unicode.ToLower(rune(form[0]))] = true
		r.first[unicode.ToUpper(rune(form[0]))] = true
		return
	}
	for b := utf8.RuneSelf; b < len(r.first); b++ {
		r.first[b] = true
	}
}

// Text replaces every secret within a text, in the forms in which services repeat them, and the beginning of one before
// an ellipsis. It allocates nothing when there is none.
func (r *Redactor) Text(text string) string {
	if len(r.forms) == 0 {
		return text
	}
	return r.cutOff(r.whole(text))
}

func (r *Redactor) whole(text string) string {
	var out strings.Builder
	copied := 0
	for at := 0; at < len(text); {
		size := r.match(text, at)
		if size == 0 {
			_, size = utf8.DecodeRuneInString(text[at:])
			at += size
			continue
		}
		out.WriteString(text[copied:at])
		out.WriteString(mark)
		at += size
		copied = at
	}
	if copied == 0 {
		return text
	}
	out.WriteString(text[copied:])
	return out.String()
}

// match returns the size of the form that a text holds at a place; 0 when there is none.
func (r *Redactor) match(text string, at int) int {
	if !r.first[text[at]] {
		return 0
	}
	for _, form := range r.forms {
		size := prefix(text[at:], form)
		if size > 0 && (length(form) >= short || alone(text, at, at+size)) {
			return size
		}
	}
	return 0
}

// cutOff replaces the beginnings of secrets where a text was cut.
func (r *Redactor) cutOff(text string) string {
	if !strings.Contains(text, cut) {
		return text
	}
	parts := strings.Split(text, cut)
	for i, part := range parts[:len(parts)-1] {
		parts[i] = r.withoutTail(part)
	}
	return strings.Join(parts, cut)
}

func (r *Redactor) withoutTail(text string) string {
	for _, secret := range r.secrets {
		characters := []rune(secret)
		for n := len(characters) - 1; len(characters) >= short && n >= tail; n-- {
			if rest, found := strings.CutSuffix(text, string(characters[:n])); found {
				return rest + mark
			}
		}
	}
	return text
}

// formsOf are the secret itself, inside JSON, inside an address, as UTF-8 read byte by byte, and in base64.
func formsOf(secret string) []string {
	forms := []string{secret, inJSON(secret), inAddress(secret), byteByByte(secret)}
	if length(secret) >= short {
		forms = append(forms, base64.RawStdEncoding.EncodeToString([]byte(secret)))
	}
	var all []string
	for _, form := range forms {
		if !slices.Contains(all, form) {
			all = append(all, form)
		}
	}
	return all
}

func inJSON(secret string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(secret) // a string and a buffer never fail
	return out.String()[1 : out.Len()-len("\"\n")]
}

// inAddress is encodeURIComponent of JavaScript.
func inAddress(secret string) string {
	return strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*").
		Replace(url.QueryEscape(secret))
}

func byteByByte(secret string) string {
	characters := make([]rune, len(secret))
	for i := range len(secret) {
		characters[i] = rune(secret[i])
	}
	return string(characters)
}

// prefix returns the size of what a text begins with, when that is a form in whatever case; 0 when it is not.
func prefix(text, form string) (size int) {
	for _, want := range form {
		got, n := utf8.DecodeRuneInString(text[size:])
		if n == 0 || got != want && fold(got) != fold(want) {
			return 0
		}
		size += n
	}
	return size
}

// fold makes letters that differ in case equal, but not letters beyond ASCII and those within.
func fold(r rune) rune {
	if upper := unicode.ToUpper(r); r < utf8.RuneSelf || upper >= utf8.RuneSelf {
		return upper
	}
	return r
}

// alone reports whether neither a letter nor a digit is beside a part of a text.
func alone(text string, from, to int) bool {
	return (from == 0 || !alphanumeric(text[from-1])) && (to == len(text) || !alphanumeric(text[to]))
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// length is in characters.
func length(text string) int { return utf8.RuneCountInString(text) }
