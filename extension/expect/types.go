package expect

import (
	"math"

	"github.com/tidwall/gjson"
)

// fieldType is one type of a field. Go and TypeScript pass the cases of contract/testdata/field-types.json.
type fieldType struct {
	// name is what a value of the type is, in a message.
	name string
	fits func(value gjson.Result) bool
}

var fieldTypes = map[string]fieldType{
	"string":  {"a string", isString},
	"int":     {"an integer", func(v gjson.Result) bool { return isNumber(v) && v.Num == math.Trunc(v.Num) }},
	"number":  {"a number", isNumber},
	"boolean": {"a boolean", gjson.Result.IsBool},
	"object":  {"an object", gjson.Result.IsObject},
	"array":   {"an array", gjson.Result.IsArray},
	"numbers": {"an array of numbers", func(v gjson.Result) bool { return isArrayOf(v, isNumber) }},
	"objects": {"an array of objects", func(v gjson.Result) bool { return isArrayOf(v, gjson.Result.IsObject) }},
	"texts": {"a string or an array of strings", func(v gjson.Result) bool {
		return isString(v) || isArrayOf(v, isString)
	}},
}

func isString(value gjson.Result) bool { return value.Type == gjson.String }
func isNumber(value gjson.Result) bool { return value.Type == gjson.Number }

func isArrayOf(value gjson.Result, fits func(gjson.Result) bool) bool {
	all := value.IsArray()
	if all {
		value.ForEach(func(_, item gjson.Result) bool {
			all = fits(item)
			return all
		})
	}
	return all
}
