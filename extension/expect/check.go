package expect

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// Finding is what a check found in a response.
type Finding struct {
	// Wrong is a sentence about what is wrong; empty when the response is as expected.
	Wrong string
	// Dimensions is the length of the first vector; 0 without vectors.
	Dimensions int
}

// Check checks a response, whose body must be valid JSON; items is the number of inputs of the request, below zero when it
// had none to count. The values to take are put into taken, which has room for them; a value that is missing is null.
func (c *Checker) Check(root gjson.Result, items int, taken []gjson.Result) (f Finding) {
	variant := c.variantOf(root)
	tree := c.base
	if variant != nil {
		tree = variant.tree
	}
	var holds bool
	if f.Dimensions, holds = c.holds(tree, root, items, taken); !holds || !root.IsObject() {
		f.Wrong = c.explain(root, items, variant)
	}
	return f
}

// variantOf is the variant that a response is of; nil without one.
func (c *Checker) variantOf(root gjson.Result) *variant {
	if c.by == nil {
		return nil
	}
	value, ok := c.by.Get(root)
	if !ok || value.Type != gjson.String {
		return nil
	}
	return c.variants[value.Str]
}

// explain returns a sentence about the first rule, in their order, that does not hold.
func (c *Checker) explain(root gjson.Result, items int, v *variant) string {
	if !root.IsObject() {
		return "The response is " + kind(root) + ", where an object was expected."
	}
	fields := c.fields
	if v != nil {
		fields = slices.Concat(fields, v.fields)
	}
	for _, f := range fields {
		if wrong := f.path.visit(root, "", f.check); wrong != "" {
			return wrong
		}
	}
	for _, path := range c.nonEmpty {
		if wrong := path.visit(root, "", checkNonEmpty); wrong != "" {
			return wrong
		}
	}
	if wrong := c.checkVectors(root); wrong != "" {
		return wrong
	}
	if wrong := c.checkCount(root, items); wrong != "" {
		return wrong
	}
	return c.checkIndexes(root)
}

func (f field) check(at string, value gjson.Result) string {
	if !present(value) {
		if value.Exists() {
			return fmt.Sprintf("%s is null, where %s was expected.", at, f.kind.name)
		}
		return fmt.Sprintf("%s is missing; %s was expected.", at, f.kind.name)
	}
	switch f.rule.Type {
	case "numbers":
		if value.IsArray() {
			if readNumbers(value).plain {
				return ""
			}
			return checkNumbers(at, value)
		}
	case "string":
		if isString(value) && len(f.rule.Values) > 0 && !slices.Contains(f.rule.Values, value.Str) {
			return fmt.Sprintf("%s is %s, where one of %s was expected.", at, excerpt(value.Raw), quoteAll(f.rule.Values))
		}
	case "int", "number":
		if isNumber(value) && !finite(value) {
			return fmt.Sprintf("%s is %s, which is not a finite number.", at, excerpt(value.Raw))
		}
	}
	if !f.kind.fits(value) {
		return fmt.Sprintf("%s is %s, where %s was expected.", at, kind(value), f.kind.name)
	}
	return ""
}

func checkNumbers(at string, value gjson.Result) (wrong string) {
	i := 0
	value.ForEach(func(_, item gjson.Result) bool {
		if !isNumber(item) {
			wrong = fmt.Sprintf("%s[%d] is %s, where a number was expected.", at, i, kind(item))
		} else if !finite(item) {
			wrong = fmt.Sprintf("%s[%d] is %s, which is not a finite number.", at, i, excerpt(item.Raw))
		}
		i++
		return wrong == ""
	})
	return wrong
}

func checkNonEmpty(at string, value gjson.Result) string {
	if !value.IsArray() {
		return fmt.Sprintf("%s is %s, where an array with at least one item was expected.", at, kind(value))
	}
	if length(value) == 0 {
		return at + " is an empty array, where at least one item was expected."
	}
	return ""
}

func (c *Checker) checkCount(root gjson.Result, items int) string {
	if c.counted == nil || items < 0 {
		return ""
	}
	return c.counted.visit(root, "", func(at string, value gjson.Result) string {
		if n := length(value); n != items {
			return fmt.Sprintf("%s has %d items, where %d were expected, one per input.", at, n, items)
		}
		return ""
	})
}

func length(value gjson.Result) int {
	n := 0
	if value.IsArray() {
		value.ForEach(func(_, _ gjson.Result) bool { n++; return true })
	}
	return n
}

func finite(number gjson.Result) bool {
	if len(number.Raw) < 300 && !strings.ContainsAny(number.Raw, "eE") {
		return true
	}
	value, err := strconv.ParseFloat(number.Raw, 64)
	return err == nil && !math.IsInf(value, 0)
}
