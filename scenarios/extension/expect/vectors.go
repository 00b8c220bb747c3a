package expect

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/tidwall/gjson"
)

// Dimensions is the length of the first vector of a response that was checked; 0 without vectors.
func (c *Checker) Dimensions(root gjson.Result) (n int) {
	if c.vectors != nil {
		c.vectors.visit(root, "", func(_ string, value gjson.Result) string {
			n = length(value)
			return "found"
		})
	}
	return n
}

func (c *Checker) checkVectors(root gjson.Result) string {
	if c.vectors == nil {
		return ""
	}
	first, firstAt := -1, ""
	return c.vectors.visit(root, "", func(at string, value gjson.Result) string {
		n, zero := 0, true
		value.ForEach(func(_, item gjson.Result) bool {
			n++
			zero = zero && item.Num == 0
			return true
		})
		if first < 0 {
			first, firstAt = n, at
		}
		switch {
		case n != first:
			return fmt.Sprintf("%s has length %d, where %d was expected, the length of %s.", at, n, first, firstAt)
		case n == 0:
			return at + " is empty, where at least one number was expected."
		case zero:
			return at + " is all zeros."
		}
		return ""
	})
}

func (c *Checker) checkIndexes(root gjson.Result) string {
	if c.indexes == nil {
		return ""
	}
	n := 0
	c.indexes.visit(root, "", func(string, gjson.Result) string { n++; return "" })
	expected := "0 was"
	if n > 1 {
		expected = fmt.Sprintf("each of 0 to %d was", n-1)
	}
	seenAt := make([]string, n)
	return c.indexes.visit(root, "", func(at string, value gjson.Result) string {
		// The rule of the field makes it an integer.
		index := strconv.FormatFloat(value.Num, 'g', -1, 64)
		if value.Num < 0 || value.Num >= float64(n) {
			if n > 1 {
				return fmt.Sprintf("%s is %s, where %s expected once.", at, index, expected)
			}
			return fmt.Sprintf("%s is %s, where %s expected.", at, index, expected)
		}
		before := &seenAt[int(value.Num)]
		if *before != "" {
			return fmt.Sprintf("%s is %s like %s, where %s expected once.", at, index, *before, expected)
		}
		*before = at
		return ""
	})
}

// NotFinite returns a sentence about a body with vectors that is JSON except for numbers such as NaN, which some writers of
// JSON produce; the empty string about any other body.
func (c *Checker) NotFinite(body []byte) string {
	if c.vectors == nil {
		return ""
	}
	found, finite := withoutNotFinite(body)
	if found == "" || !gjson.ValidBytes(finite) {
		return ""
	}
	return "The response contains " + found + ", which is neither JSON nor a finite number."
}

// withoutNotFinite returns the first NaN or Infinity outside of strings, and the body with 0 for each of them.
func withoutNotFinite(body []byte) (found string, finite []byte) {
	inString := false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inString && c == '\\' && i+1 < len(body):
			finite = append(finite, c)
			i++
		case c == '"':
			inString = !inString
		case !inString:
			if name := notFiniteAt(body[i:]); name != "" {
				if found == "" {
					found = name
				}
				finite = append(finite, '0')
				i += len(name) - 1
				continue
			}
		}
		finite = append(finite, body[i])
	}
	return found, finite
}

func notFiniteAt(rest []byte) string {
	for _, name := range []string{"NaN", "-NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(rest, []byte(name)) {
			return name
		}
	}
	return ""
}
