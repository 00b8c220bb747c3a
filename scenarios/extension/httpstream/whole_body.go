package httpstream

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unsafe"

	"assay.dev/k6/expect"
	"github.com/tidwall/gjson"
)

// MaxKept is how much of a body that is not streamed is kept for checks; the rest is read and counted.
const MaxKept = 8 << 20

// maxRetained bounds the buffer that a client keeps between requests.
const maxRetained = 256 << 10

// wholeBody collects a body that is not streamed.
type wholeBody struct {
	body    []byte
	tooLong bool
}

func (p *wholeBody) begin() {
	if cap(p.body) > maxRetained {
		p.body = nil
	}
	p.body, p.tooLong = p.body[:0], false
}

func (p *wholeBody) read(chunk []byte, _ time.Duration) {
	if room := MaxKept - len(p.body); len(chunk) > room {
		chunk, p.tooLong = chunk[:room], true
	}
	p.body = append(p.body, chunk...)
}

// evaluate reads the values of a complete response and checks it.
func (p *wholeBody) evaluate(request *Request, result *Result) {
	if result.Status/100 != 2 {
		p.salvageTask(request, result)
		return
	}
	if p.tooLong {
		result.flag(FlagTooLong)
		return
	}
	text := view(p.body)
	if fault := jsonFault(text); fault != "" {
		if request.Expect != nil && fault == notJSON {
			if wrong := request.Expect.NotFinite(p.body); wrong != "" {
				result.fail(Contract, wrong)
			}
		}
		result.fail(Malformed, fmt.Sprintf("The response is %s; it starts with %s.", fault, quote(p.body)))
		return
	}
	root := gjson.Parse(text)
	request.Read.take(root, result)
	if request.Text {
		result.Text = strings.Clone(root.Get("choices.0.message.content").String())
	}
	if request.Expect != nil {
		if wrong := request.Expect.Check(root, request.Items); wrong != "" {
			result.fail(Contract, wrong)
		} else {
			result.Dimensions = request.Expect.Dimensions(root)
		}
	}
}

// take copies the values, because root refers to a buffer that is used again.
func (r Reads) take(root gjson.Result, result *Result) {
	if value, ok := lookUp(r.OutputTokens, root); ok && setCount(&result.OutputTokens, value) {
		result.TokenSource = TokensOfUsage
	}
	if value, ok := lookUp(r.InputTokens, root); ok {
		setCount(&result.InputTokens, value)
	}
	if value, ok := lookUp(r.ReasoningTokens, root); ok {
		setCount(&result.ReasoningTokens, value)
	}
	r.takeTask(root, result)
	if value, ok := lookUp(r.TaskState, root); ok && value.Type == gjson.String {
		result.TaskState = strings.Clone(value.Str)
	}
	if value, ok := lookUp(r.Progress, root); ok && value.Type == gjson.Number && !math.IsInf(value.Num, 0) {
		result.Progress = value.Num
	}
	if value, ok := lookUp(r.Cost, root); ok && value.Type == gjson.Number && !math.IsInf(value.Num, 0) {
		result.Cost = value.Num
	}
}

func lookUp(path expect.Path, root gjson.Result) (gjson.Result, bool) {
	if path == nil {
		return gjson.Result{}, false
	}
	return path.Get(root)
}

// setCount sets count to a value that is a whole number, and reports whether it is one.
func setCount(count *int, value gjson.Result) bool {
	whole := value.Type == gjson.Number && value.Num >= 0 && value.Num < 1<<53 && value.Num == math.Trunc(value.Num)
	if whole {
		*count = int(value.Num)
	}
	return whole
}

// view is the bytes as a string without a copy; the bytes must not change while it is in use.
func view(data []byte) string { return unsafe.String(unsafe.SliceData(data), len(data)) }
