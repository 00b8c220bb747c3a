package httpstream

import (
	"strings"

	"github.com/tidwall/gjson"
)

// MayHaveCreatedTask reports whether a submission may have created a task, by the status of its response; 0 stands for none.
// A redirect, a client error and 503 create nothing. Any other server error may come from a gateway before a service that
// created the task. The rule is that of contract/service.ts.
func MayHaveCreatedTask(status int) bool {
	return !(status >= 300 && status < 500 || status == 503)
}

// takeTask takes the id of a task. A number, which does not conform, serves to poll and to cancel the task as well.
func takeTask(value gjson.Result, result *Result) {
	switch {
	case value.Type == gjson.String:
		result.Task = strings.Clone(value.Str)
	case value.Type == gjson.Number:
		result.Task = strings.Clone(value.Raw)
	}
}

// salvageTask takes the id of the task that a submission created in spite of an error, if the whole document with its id was
// received.
func (p *wholeBody) salvageTask(request *Request, result *Result) {
	if request.Read.Task == nil || !MayHaveCreatedTask(result.Status) || p.tooLong {
		return
	}
	if text := view(p.body); jsonFault(text) == "" {
		if value, ok := request.Read.Task.Get(gjson.Parse(text)); ok {
			takeTask(value, result)
		}
	}
}
