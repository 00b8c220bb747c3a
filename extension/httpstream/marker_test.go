package httpstream

import (
	"strings"
	"testing"
)

func TestAMarkerOfAnotherRequestIsAFailure(t *testing.T) {
	const own, other = "assay-0123abcd", "assay-ffff0000"
	completion := func(text string) step {
		return reply("200 OK", `{"choices":[{"index":0,"message":{"role":"assistant","content":"`+text+`"}}]}`)
	}
	for _, tt := range []struct {
		name   string
		stream bool
		marker string
		script []step
		want   Outcome
	}{
		{"its own in a stream, in two parts", true, own, []step{send(headSSE), chunked(token(own[:9]), token(own[9:]+" yes"), done), send(last)}, OK},
		{"none", true, own, []step{send(headSSE), chunked(token("assay-"), token(" assay-xyz and assay-0123"), done), send(last)}, OK},
		{"another in a stream, in two parts", true, own, []step{send(headSSE), chunked(token(own+" "+other[:9]), token(other[9:]), done), send(last)}, Contract},
		{"another, of a request without a marker", true, "", []step{send(headSSE), chunked(token(other), done), send(last)}, OK},
		{"an error before it", true, own, []step{send(headSSE), chunked(token(other), errFrame), send(last)}, ErrorFrame},
		{"its own in a whole response", false, own, []step{completion(own + " yes")}, OK},
		{"another in a whole response", false, own, []step{completion("no: " + other)}, Contract},
	} {
		inVirtualTime(t, tt.name, func(t *testing.T) {
			got := ask(t, tt.script, func(r *Request) { r.Stream, r.Status, r.Marker = tt.stream, 200, tt.marker })
			if got.Outcome != tt.want || strings.Contains(got.Detail, other) != (tt.want == Contract) {
				t.Errorf("got %s (%s), want %s", got.Outcome, got.Detail, tt.want)
			}
		})
	}
}
