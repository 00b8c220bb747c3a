package httpstream

import (
	"bytes"
	"fmt"

	"github.com/tidwall/gjson"
)

// jsonLines checks a stream of JSON lines as it is received. What a line contains is not specified, except for an error.
type jsonLines struct {
	line []byte // start of a line whose end was not received yet
	seen bool   // a line that is not blank was received
	// spread collects everything from a first line that is not JSON on: a single value may be spread over several lines.
	spread    wholeBody
	spreading bool
}

func (l *jsonLines) begin() {
	if cap(l.line) > maxRetained {
		l.line = nil
	}
	l.line, l.seen, l.spreading = l.line[:0], false, false
	l.spread.begin()
}

// feed reads the next bytes; a problem is set in result.
func (l *jsonLines) feed(chunk []byte, result *Result) {
	for len(chunk) > 0 && !l.spreading {
		end := bytes.IndexByte(chunk, '\n')
		if end < 0 {
			if len(l.line)+len(chunk) > maxLine {
				result.tooLarge("A line is longer than %d bytes.", maxLine)
				return
			}
			l.line = append(l.line, chunk...)
			return
		}
		line := chunk[:end+1]
		chunk = chunk[end+1:]
		if len(l.line) > 0 {
			l.line = append(l.line, line...)
			line = l.line
		}
		l.whole(line, result)
		l.line = l.line[:0]
	}
	if l.spreading {
		l.spread.read(chunk, 0)
	}
}

// whole checks a line that is complete.
func (l *jsonLines) whole(line []byte, result *Result) {
	text := trimLine(line)
	if len(text) == 0 {
		return
	}
	switch fault := jsonFault(view(text)); {
	case fault == "":
		failOnError(text, "A line contains an error: ", result)
	case l.seen:
		result.fail(Malformed, "A line is "+fault+": "+excerpt(text))
	default:
		l.spreading = true
		l.spread.read(line, 0)
	}
	l.seen = true
}

// finish checks what is left after a clean end.
func (l *jsonLines) finish(result *Result) {
	if l.spreading {
		failOnError(l.spread.body, "The stream is an error object: ", result)
		result.fail(Malformed, fmt.Sprintf("The stream is not JSON lines; it starts with %s.", quote(l.spread.body)))
		return
	}
	text := trimLine(l.line)
	if len(text) > 0 && jsonFault(view(text)) != "" {
		result.fail(Truncated, fmt.Sprintf("The stream ended within a line: %s.", quote(text)))
	}
	failOnError(text, "A line contains an error: ", result)
}

// failOnError sets the outcome when data is a JSON object that is an error.
func failOnError(data []byte, says string, result *Result) {
	text := view(data)
	if jsonFault(text) == "" && isError(gjson.Parse(text)) {
		result.fail(ErrorFrame, says+excerpt(data))
	}
}

// isError reports whether an object has an error that is not null, or says that it is one: vLLM, FastChat and LMDeploy sent errors so.
func isError(root gjson.Result) bool {
	return root.Get("error").Type != gjson.Null || isErrorKind(root.Get("object")) || isErrorKind(root.Get("type"))
}

func isErrorKind(kind gjson.Result) bool {
	return kind.Type == gjson.String && kind.Str == "error"
}

// isUnfinished reports whether a finish_reason says that the target failed (Mistral, OpenRouter) or gave up (vLLM, SGLang).
func isUnfinished(reason string) bool {
	return reason == "error" || reason == "abort"
}

// trimLine drops white space, a byte order mark, and the record separator of application/json-seq.
func trimLine(line []byte) []byte {
	return bytes.Trim(bytes.TrimPrefix(line, byteOrderMark), "\x1e\r\n\t ")
}
