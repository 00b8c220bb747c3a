package httpstream

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// maxDepth is how deep JSON of a response may be nested. The validator calls itself for each level, and a megabyte of
// brackets would exhaust the stack of the process.
const maxDepth = 1000

const notJSON = "not JSON"

// jsonFault says why a text cannot be read as JSON, after "it is"; empty when it can.
func jsonFault(text string) string {
	switch {
	case deeperThan(maxDepth, text):
		return fmt.Sprintf("nested deeper than %d levels", maxDepth)
	case !gjson.Valid(text):
		return notJSON
	}
	return ""
}

// deeperThan reports whether brackets, outside of strings, are nested deeper than most. Few texts have so many brackets that
// it has to look at each character.
func deeperThan(most int, text string) bool {
	if strings.Count(text, "[")+strings.Count(text, "{") <= most {
		return false
	}
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '[' || c == '{':
			if depth++; depth > most {
				return true
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return false
}
