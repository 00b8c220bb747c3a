package httpstream

import (
	"fmt"
	"github.com/tidwall/gjson"
	"math"
	"strings"
	"time"
	"unsafe"
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
	if request.Text || request.Marker != "" {
		result.Text = strings.Clone(root.Get("choices.0.message.content").String())
	}
	checkMarker(result.Text, request.Marker, result)
	if request.Expect == nil {
		return
	}
	var taken taken
	found := request.Expect.Check(root, request.Items, taken[:])
	taken.into(result)
	if found.Wrong != "" && isError(root) {
		result.fail(Contract, found.Wrong+" The response contains an error: "+excerpt(p.body))
	} else if found.Wrong != "" {
		result.fail(Contract, found.Wrong)
	} else if reason := root.Get("choices.0.finish_reason"); isUnfinished(reason.Str) {
		result.fail(Contract, "The target ended the response with finish_reason "+quote([]byte(reason.Str))+".")
	} else {
		result.Dimensions = found.Dimensions
	}
}

// taken are the values that were taken from a response, in the order of [Reads.Paths].
type taken [allReads]gjson.Result

// into copies the values, because they refer to a buffer that is used again.
func (t *taken) into(result *Result) {
	if setCount(&result.OutputTokens, t[atOutputTokens]) {
		result.TokenSource = TokensOfUsage
	}
	setCount(&result.InputTokens, t[atInputTokens])
	setCount(&result.ReasoningTokens, t[atReasoningTokens])
	if !setCount(&result.CachedTokens, t[atCachedTokens]) {
		setCached(&result.CachedTokens, t[atCachedTokens])
	}
	takeTask(t[atTask], result)
	if state := t[atTaskState]; state.Type == gjson.String {
		result.TaskState = strings.Clone(state.Str)
	}
	result.Completion = idOf(t[atCompletion])
	if failure := t[atTaskError]; failure.IsObject() && result.Detail == "" {
		result.Detail = "The task failed: " + excerpt([]byte(failure.Raw))
	}
	if address := t[atVideoURL]; address.Type == gjson.String {
		result.VideoURL = strings.Clone(address.Str)
	}
	if value := t[atProgress]; value.Type == gjson.Number && !math.IsInf(value.Num, 0) {
		result.Progress = value.Num
	}
	if value := t[atCost]; value.Type == gjson.Number && !math.IsInf(value.Num, 0) {
		result.Cost = value.Num
	}
}

// maxID is the longest id of a completion that is recorded; a longer one is cut.
const maxID = 128

// idOf is a copy of an id that is a text.
func idOf(value gjson.Result) string {
	if value.Type != gjson.String {
		return ""
	}
	return strings.Clone(shorten(value.Str, maxID))
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
