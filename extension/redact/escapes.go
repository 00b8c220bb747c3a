package redact

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// escapes are the bytes with which escapes begin, by kind of escape.
const escapes = `%&\`

// located is bytes, and where each begins in the text that they were read from, with one more entry for its end; nil
// places are those of the bytes themselves.
type located struct {
	bytes  []byte
	starts []int32
}

func (t located) place(at int) int {
	if t.starts == nil {
		return at
	}
	return int(t.starts[at])
}

// unescaped undoes one layer of the escapes in which services repeat a text: of addresses, of JSON and of source code, of
// HTML. It returns false when there are none. Escapes that begin with a byte that is none of kinds count as text. The rule
// is that of lib/escapes.ts.
func (t located) unescaped(kinds string) (located, bool) {
	at := 0
	for at < len(t.bytes) {
		if _, _, size := escapeAt(t.bytes, at, kinds); size > 0 {
			break
		}
		at++
	}
	if at == len(t.bytes) {
		return t, false
	}
	out := located{bytes: make([]byte, at, len(t.bytes)), starts: make([]int32, at, len(t.bytes)+1)}
	copy(out.bytes, t.bytes)
	for place := range at {
		out.starts[place] = int32(t.place(place))
	}
	for at < len(t.bytes) {
		value, isByte, size := escapeAt(t.bytes, at, kinds)
		switch {
		case size == 0:
			out.bytes = append(out.bytes, t.bytes[at])
			size = 1
		case isByte:
			out.bytes = append(out.bytes, byte(value))
		default:
			out.bytes = utf8.AppendRune(out.bytes, value)
		}
		for len(out.starts) < len(out.bytes) {
			out.starts = append(out.starts, int32(t.place(at)))
		}
		at += size
	}
	out.starts = append(out.starts, int32(t.place(len(t.bytes))))
	return out, true
}

// layers is what is left after one layer of escapes, two, and so on.
func (t located) layers(kinds string) (all []located) {
	next, changed := t.unescaped(kinds)
	for changed && len(all) < mostLayers {
		all = append(all, next)
		next, changed = next.unescaped(kinds)
	}
	return all
}

// kinds returns which of these kinds of escapes a text may hold.
func (t located) kinds(among string) string {
	var present []byte
	for _, first := range []byte(among) {
		if bytes.IndexByte(t.bytes, first) >= 0 {
			present = append(present, first)
		}
	}
	return string(present)
}

// eachOrder undoes one kind of escapes after the other, in each order: what escapes characters in one way leaves those with
// which the other ways begin as they are.
func (t located) eachOrder(kinds string, visit func(located)) {
	for _, kind := range t.kinds(kinds) {
		last := t
		for _, last = range t.layers(string(kind)) {
			visit(last)
		}
		last.eachOrder(strings.ReplaceAll(kinds, string(kind), ""), visit)
	}
}

// escapeAt reads the escape at a place: a byte or a character, and its size, 0 when there is none.
func escapeAt(text []byte, at int, kinds string) (value rune, isByte bool, size int) {
	first := text[at]
	if first != '%' && first != '&' && first != '\\' || strings.IndexByte(kinds, first) < 0 {
		return 0, false, 0
	}
	switch first {
	case '%':
		return percentEscape(text[at:])
	case '&':
		value, size = htmlEscape(text[at:])
	case '\\':
		value, size = backslashEscape(text[at:])
	}
	return value, false, size
}

// percentEscape reads %41, and %u0041 of JavaScript's escape().
func percentEscape(text []byte) (value rune, isByte bool, size int) {
	if len(text) > 1 && lowerLetter(text[1]) == 'u' {
		value, size = character(number(text, 2, 4, 16), 6)
		return value, false, size
	}
	value, size = character(number(text, 1, 2, 16), 3)
	return value, true, size
}

var controls = map[byte]rune{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// backslashEscape reads \u0041, \ud83d\ude00, \x41, \n, and a character that stands for itself, such as \/.
func backslashEscape(text []byte) (value rune, size int) {
	if len(text) < 2 {
		return 0, 0
	}
	switch next := text[1]; next {
	case 'x':
		return character(number(text, 2, 2, 16), 4)
	case 'u':
		first, second := number(text, 2, 4, 16), rune(-1)
		if first>>10 == 0x36 && len(text) > 7 && text[6] == '\\' && lowerLetter(text[7]) == 'u' {
			second = number(text, 8, 4, 16)
		}
		if second>>10 != 0x37 {
			return character(first, 6)
		}
		return character(0x10000+(first&0x3ff)<<10+second&0x3ff, 12)
	default:
		if value, known := controls[next]; known {
			return value, 2
		}
		if next > ' ' && next < 0x7f && !alphanumeric(next) {
			return rune(next), 2
		}
		return 0, 0
	}
}

// names are those of the characters of ASCII that have any (HTML, section 13.5).
var names = map[string]rune{
	"Tab": '\t', "NewLine": '\n', "excl": '!', "quot": '"', "QUOT": '"', "num": '#', "dollar": '$', "percnt": '%',
	"amp": '&', "AMP": '&', "apos": '\'', "lpar": '(', "rpar": ')', "ast": '*', "midast": '*', "plus": '+', "comma": ',',
	"period": '.', "sol": '/', "colon": ':', "semi": ';', "lt": '<', "LT": '<', "equals": '=', "gt": '>', "GT": '>',
	"quest": '?', "commat": '@', "lsqb": '[', "lbrack": '[', "bsol": '\\', "rsqb": ']', "rbrack": ']', "Hat": '^',
	"lowbar": '_', "UnderBar": '_', "grave": '`', "DiacriticalGrave": '`', "lcub": '{', "lbrace": '{', "verbar": '|',
	"vert": '|', "VerticalLine": '|', "rcub": '}', "rbrace": '}',
}

const (
	longestName = len("DiacriticalGrave")
	// mostDigits is more than any character needs, among them zeros in front.
	mostDigits = 16
)

// htmlEscape reads &#65;, &#x41; and &amp;; a browser reads numbers without the semicolon too.
func htmlEscape(text []byte) (value rune, size int) {
	if len(text) < 2 || text[1] != '#' {
		for end := 1; end < len(text) && end <= longestName+1; end++ {
			if text[end] == ';' {
				if value, known := names[string(text[1:end])]; known {
					return value, end + 1
				}
				return 0, 0
			}
			if letter := lowerLetter(text[end]); letter < 'a' || letter > 'z' {
				return 0, 0
			}
		}
		return 0, 0
	}
	base, from := 10, 2
	if len(text) > 2 && lowerLetter(text[2]) == 'x' {
		base, from = 16, 3
	}
	end := from
	for end < len(text) && end-from < mostDigits && digit(text[end], base) >= 0 {
		end++
	}
	if end == from {
		return 0, 0
	}
	value = number(text, from, end-from, base)
	if end < len(text) && text[end] == ';' {
		end++
	}
	return character(value, end)
}

// character returns a character of a size, or neither when the value is none.
func character(value rune, size int) (rune, int) {
	if value < 0 || value > utf8.MaxRune {
		return 0, 0
	}
	return value, size
}

// number reads digits; -1 when they are none, or stand for more than a character.
func number(text []byte, at, count, base int) rune {
	if at+count > len(text) {
		return -1
	}
	value := 0
	for _, c := range text[at : at+count] {
		next := digit(c, base)
		if next < 0 {
			return -1
		}
		if value = value*base + next; value > utf8.MaxRune {
			return -1
		}
	}
	return rune(value)
}

func digit(c byte, base int) int {
	if c >= '0' && c <= '9' {
		return int(c - '0')
	}
	if letter := lowerLetter(c); base == 16 && letter >= 'a' && letter <= 'f' {
		return int(letter-'a') + 10
	}
	return -1
}

// lowerLetter is a letter of ASCII in lower case; what is none stays none.
func lowerLetter(c byte) byte { return c | 0x20 }

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
