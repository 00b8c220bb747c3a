package httpstream

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"assay.dev/k6/expect"
)

// reply is an answer with its length.
func reply(status, body string) step {
	return send(fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", status, len(body), body))
}

func mustPath(text string) expect.Path {
	path, err := expect.ParsePath(text)
	if err != nil {
		panic(err)
	}
	return path
}

func TestPlainAnswers(t *testing.T) {
	const task = `{"id":"t1","status":"processing","progress":40,"usage":{"prompt_tokens":4,"completion_tokens":9,"prompt_tokens_details":{"cached_tokens":3},"completion_tokens_details":{"reasoning_tokens":2},"total_cost":0.35}}`
	const facts = "202 tokens=9:usage input=4 reasoning=2 cached=3 task=t1 state=processing progress=40 cost=0.35"
	for _, tt := range []struct {
		name   string
		script []step
		want   Outcome
		facts  string
	}{
		{"as expected", []step{reply("202 Accepted", task)}, OK, facts},
		{"chunked", []step{send("HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n"), chunked(task[:20], task[20:]), send(last)}, OK, facts},
		{"another status of success", []step{reply("200 OK", task)}, Contract, strings.TrimPrefix(facts, "202 ")},
		{"a field is missing", []step{reply("202 Accepted", `{"status":"x"}`)}, Contract, "202 state=x"},
		{"a value of the wrong type is not read", []step{reply("202 Accepted", `{"id":"a","progress":"40","usage":{"completion_tokens":-1,"total_cost":"1"}}`)}, OK, "202 task=a"},
		{"status 404", []step{reply("404 Not Found", task)}, HTTPError, "404"},
		{"status 500 with the id of a task", []step{reply("500 Internal Server Error", task)}, HTTPError, "500 task=t1"},
		{"status 504 of a gateway", []step{reply("504 Gateway Timeout", "<html>")}, HTTPError, "504"},
		{"an id that is a number", []step{reply("202 Accepted", `{"id": 12345678901234567891 }`)}, Contract, "202 task=12345678901234567891"},
		{"status 429 with a date", []step{send("HTTP/1.1 429 Slow\r\nRetry-After: Sat, 01 Jan 2000 00:00:09 GMT\r\nContent-Length: 0\r\n\r\n")}, RateLimited, "429 retry=9"},
		{"status 302", []step{send("HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n")}, HTTPError, "302"},
		{"cached tokens as DeepSeek names them", []step{reply("202 Accepted", `{"id":"a","usage":{"prompt_tokens":4,"prompt_cache_hit_tokens":3,"prompt_cache_miss_tokens":1}}`)}, OK, "202 input=4 cached=3 task=a"},
		{"cached tokens as Kimi has them", []step{reply("202 Accepted", `{"id":"a","usage":{"prompt_tokens":4,"cached_tokens":2}}`)}, OK, "202 input=4 cached=2 task=a"},
		{"cached tokens in two forms", []step{reply("202 Accepted", `{"id":"a","usage":{"prompt_tokens":4,"cached_tokens":0,"prompt_tokens_details":{"cached_tokens":2}}}`)}, OK, "202 input=4 cached=2 task=a"},
		{"no JSON", []step{reply("202 Accepted", "<html>")}, Malformed, "202"},
		{"no body", []step{reply("202 Accepted", "")}, Malformed, "202"},
		{"JSON and more", []step{reply("202 Accepted", task+"x")}, Malformed, "202"},
		{"no object", []step{reply("202 Accepted", "[]")}, Contract, "202"},
		{"cut", []step{send("HTTP/1.1 202 Accepted\r\nContent-Length: 500\r\n\r\n" + task[:len(task)-1]), fin}, Truncated, "202"},
		{"cut after its JSON", []step{send("HTTP/1.1 202 Accepted\r\nContent-Length: 500\r\n\r\n" + task), fin}, Truncated, "202 task=t1"},
		{"chunked and cut after its JSON", []step{send("HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n"), chunked(task[:20], task[20:]), fin}, Truncated, "202 task=t1"},
		{"reset after its JSON", []step{send("HTTP/1.1 202 Accepted\r\nContent-Length: 500\r\n\r\n" + task), rst}, Reset, "202 task=t1"},
		{"status 404, cut after its JSON", []step{send("HTTP/1.1 404 Not Found\r\nContent-Length: 500\r\n\r\n" + task), fin}, HTTPError, "404"},
		{"longer than what is kept", []step{reply("202 Accepted", `{"id":"`+strings.Repeat("x", MaxKept)+`"}`)}, OK, "202 !too-long-to-check"},
	} {
		inVirtualTime(t, tt.name, func(t *testing.T) {
			reads := Reads{
				InputTokens: mustPath("usage.prompt_tokens"), OutputTokens: mustPath("usage.completion_tokens"),
				ReasoningTokens: mustPath("usage.completion_tokens_details.reasoning_tokens"),
				CachedTokens:    mustPath("usage"),
				Task:            mustPath("id"), TaskState: mustPath("status"), Progress: mustPath("progress"), Cost: mustPath("usage.total_cost"),
			}
			checker, err := expect.Compile(expect.Expectation{Status: 202, Fields: []expect.Field{{Path: "id", Type: "string"}}}, reads.Paths()...)
			if err != nil {
				t.Fatal(err)
			}
			got := ask(t, tt.script, func(r *Request) { r.Stream, r.Status, r.Expect, r.Read = false, 202, checker, reads })
			expectResult(t, got, tt.want, tt.facts)
		})
	}
}

func TestDetailOfARefusalQuotesTheAnswerAndIsShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := ask(t, []step{reply("400 Bad Request", `{"error":"`+strings.Repeat("é", 999)+`"}`)})
		if !strings.HasPrefix(got.Detail, `The target returned status 400. {"error":"é`) || len(got.Detail) > maxDetail {
			t.Errorf("detail has %d bytes: %s", len(got.Detail), got.Detail)
		}
	})
}

func TestTheIDOfACompletionAndTheErrorOfATaskAreTaken(t *testing.T) {
	long := strings.Repeat("x", 2*maxID)
	event := func(id string) step {
		return chunked(`data: {"id":`+id+`,"choices":[{"delta":{"content":"a"}}]}`+"\n\n", `data: {"id":"other","choices":[{"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}
	stream := func(id string) []step {
		return []step{send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"), event(id), fin}
	}
	for _, tt := range []struct {
		name       string
		script     []step
		stream     bool
		id, detail string
	}{
		{"of a stream, the first", stream(`"chatcmpl-1"`), true, "chatcmpl-1", "The response ended"},
		{"of a stream, a number", stream(`7`), true, "other", "The response ended"},
		{"of a stream, a long one is cut", stream(`"` + long + `"`), true, long[:maxID-len("…")] + "…", "The response ended"},
		{"of a whole response", []step{reply("200 OK", `{"id":"chatcmpl-2"}`)}, false, "chatcmpl-2", ""},
		{"without one", []step{reply("200 OK", `{"choices":[]}`)}, false, "", ""},
		{"a task that failed", []step{reply("200 OK", `{"id":"t","error":{"code":"E7","message":"no GPU"}}`)}, false, "t", `The task failed: {"code":"E7","message":"no GPU"}`},
		{"an error of another type", []step{reply("200 OK", `{"error":"no GPU"}`)}, false, "", ""},
	} {
		inVirtualTime(t, tt.name, func(t *testing.T) {
			reads := Reads{Completion: mustPath("id"), TaskError: mustPath("error")}
			checker, err := expect.Compile(expect.Expectation{Status: 200}, reads.Paths()...)
			if err != nil {
				t.Fatal(err)
			}
			got := ask(t, tt.script, func(r *Request) { r.Stream, r.Status, r.Expect, r.Read = tt.stream, 200, checker, reads })
			if got.Completion != tt.id || !strings.HasPrefix(got.Detail, tt.detail) {
				t.Errorf("got %q (%s), want %q (%s)", got.Completion, got.Detail, tt.id, tt.detail)
			}
		})
	}
}

func TestErrorsUnderAStatusOfSuccess(t *testing.T) {
	checker, err := expect.Compile(expect.Expectation{Status: 200, Fields: []expect.Field{{Path: "id", Type: "string"}}})
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]string{
		`{"error":{"message":"upstream failed"}}`:                       `id is missing; a string was expected. The response contains an error: {"error":{"message":"upstream failed"}}`,
		`{"object":"error","message":"overloaded"}`:                     `id is missing; a string was expected. The response contains an error: {"object":"error","message":"overloaded"}`,
		`{"id":"a","error":null,"choices":[{"finish_reason":"error"}]}`: `The target ended the response with finish_reason "error".`,
		`{"id":"a","error":null,"choices":[{"finish_reason":"stop"}]}`:  "",
	} {
		inVirtualTime(t, body, func(t *testing.T) {
			got := ask(t, []step{reply("200 OK", body)}, func(r *Request) { r.Stream, r.Status, r.Expect = false, 200, checker })
			if got.Detail != want || (got.Outcome == Contract) != (want != "") {
				t.Errorf("%s: %s, want %s", got.Outcome, got.Detail, want)
			}
		})
	}
}
