package expect

import (
	"strings"

	"github.com/tidwall/gjson"
)

// numbers is what is known of an array from its text.
type numbers struct {
	count int
	zero  bool // all are
	plain bool // nothing else is in the array, and all are finite
}

// longNumber is from how many characters on a number is not plain. Up to there it is finite with an exponent of two digits.
const longNumber = 150

// readNumbers reads the text of a value of valid JSON: a response may have tens of thousands of numbers.
func readNumbers(value gjson.Result) numbers {
	if v, plain := readPlain(value.Raw); plain {
		return v
	}
	return readEach(value)
}

// readPlain reads an array of numbers by searches that look at many bytes at once; false where it has anything else, or may have.
func readPlain(text string) (v numbers, plain bool) {
	if len(text) <= len("[]") || text[0] != '[' {
		return v, false
	}
	text = text[1 : len(text)-1]
	for _, other := range []byte(`"[{nE`) {
		if strings.IndexByte(text, other) >= 0 {
			return v, false
		}
	}
	if !hasValue(text) || !shortExponents(text) || !shortNumbers(text) {
		return v, false
	}
	return numbers{count: strings.Count(text, ",") + 1, plain: true}, true
}

// hasValue reports whether a number, and one that is not zero, stands before any exponent.
func hasValue(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '1' && c <= '9':
			return true
		case c == 'e':
			return false
		}
	}
	return false
}

// shortExponents reports whether each e belongs to a number, whose exponent has two digits at most.
func shortExponents(text string) bool {
	for {
		at := strings.IndexByte(text, 'e')
		if at < 0 {
			return true
		}
		if at == 0 || text[at-1] < '0' || text[at-1] > '9' {
			return false // of true or false
		}
		text = strings.TrimLeft(text[at+1:], "+-")
		if len(text) > 2 && text[2] >= '0' && text[2] <= '9' {
			return false
		}
	}
}

// shortNumbers reports whether there is a comma in any [longNumber] characters.
func shortNumbers(text string) bool {
	for len(text) >= longNumber {
		comma := strings.LastIndexByte(text[:longNumber], ',')
		if comma < 0 {
			return false
		}
		text = text[comma+1:]
	}
	return true
}

// readEach reads it character by character.
func readEach(array gjson.Result) (v numbers) {
	text := array.Raw
	v.zero, v.plain = true, array.IsArray()
	exponent, digits, begin := false, 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			if v.count == 0 {
				v.count = 1
			}
			if exponent {
				digits++
				v.plain = v.plain && digits <= 2
			} else {
				v.zero = v.zero && c == '0'
			}
		case c == ',':
			v.plain = v.plain && i-begin < longNumber
			v.count++
			exponent, digits, begin = false, 0, i
		case c == 'e' || c == 'E':
			exponent = true
		case c == '.' || c == '-' || c == '+' || c <= ' ' || c == '[' && i == 0 || c == ']' && i == len(text)-1:
		default:
			v.plain = false
		}
	}
	v.plain = v.plain && len(text)-begin < longNumber
	return v
}
