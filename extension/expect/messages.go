package expect

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// kind describes a value for a sentence.
func kind(value gjson.Result) string {
	switch {
	case value.Raw == "":
		return "missing"
	case value.Type == gjson.Null:
		return "null"
	case value.IsObject():
		return "an object"
	case value.IsArray():
		return "an array"
	case value.Type == gjson.String:
		return "the string " + excerpt(value.Raw)
	case value.Type == gjson.Number:
		return "the number " + excerpt(value.Raw)
	default:
		return value.Raw
	}
}

// excerpt shortens what the target sent to what fits into a sentence.
func excerpt(raw string) string {
	const most = 60
	if len(raw) <= most {
		return raw
	}
	end := most
	for end > 0 && !utf8.RuneStart(raw[end]) {
		end--
	}
	return raw[:end] + "…"
}

func quoteAll(values []string) string {
	quoted := make([]string, len(values))
	for i, value := range values {
		quoted[i] = strconv.Quote(value)
	}
	return strings.Join(quoted, ", ")
}
