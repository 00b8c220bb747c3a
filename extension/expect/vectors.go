package expect

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/tidwall/gjson"
)

func (c *Checker) checkVectors(root gjson.Result) string {
	if c.vectors == nil {
		return ""
	}
	first, firstAt := -1, ""
	return c.vectors.visit(root, "", func(at string, value gjson.Result) string {
		v := readNumbers(value)
		n := v.count
		if first < 0 {
			first, firstAt = n, at
		}
		switch {
		case n != first:
			return fmt.Sprintf("%s has length %d, where %d was expected, the length of %s.", at, n, first, firstAt)
		case n == 0:
			return at + " is empty, where at least one number was expected."
		case v.zero:
			return at + " is all zeros."
		}
		return ""
	})
}

func (c *Checker) checkIndexes(root gjson.Result) string {
	if c.indexes == nil {
		return ""
	}
	type index struct {
		at    string
		value float64 // the rule of the field makes it an integer
	}
	var indexes []index
	c.indexes.visit(root, "", func(at string, value gjson.Result) string {
		indexes = append(indexes, index{at, value.Num})
		return ""
	})
	last := len(indexes) - 1
	expected := "0 was expected"
	if last > 0 {
		expected = fmt.Sprintf("each of 0 to %d was expected once", last)
	}
	seenAt := make([]string, len(indexes))
	for _, i := range indexes {
		shown := strconv.FormatFloat(i.value, 'g', -1, 64)
		if i.value < 0 || i.value > float64(last) {
			return fmt.Sprintf("%s is %s, where %s.", i.at, shown, expected)
		}
		before := &seenAt[int(i.value)]
		if *before != "" {
			return fmt.Sprintf("%s is %s like %s, where %s.", i.at, shown, *before, expected)
		}
		*before = i.at
	}
	return ""
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
