package expect

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// FuzzCheck checks whatever a target may send. No body ends the process, the sentence is one that can be written to a
// record, and what is found right has the members that were asked for.
func FuzzCheck(f *testing.F) {
	for _, body := range []string{
		chat, `{"data":[{"embedding":[1,0]},{"embedding":[0,1e999]}]}`, `{"status":"failed","error":{"code":"x"},"cost":0.5}`,
		`[]`, `{}`, `null`, `{"id":{"toString":null},"choices":"constructor"}`, `{"data":[{"embedding":[]},7]}`, `{"usage":-0}`,
	} {
		f.Add(body, 2)
	}
	var (
		checkers []*Checker
		takes    []Path
	)
	for _, text := range []string{"id", "usage.completion_tokens", "choices.index", "status"} {
		path, err := ParsePath(text)
		if err != nil {
			f.Fatal(err)
		}
		takes = append(takes, path)
	}
	for _, expectation := range []Expectation{chatExpectation, listExpectation, taskExpectation} {
		checker, err := Compile(expectation, takes...)
		if err != nil {
			f.Fatal(err)
		}
		checkers = append(checkers, checker)
	}
	f.Fuzz(func(t *testing.T, body string, items int) {
		for i, checker := range checkers {
			_ = checker.NotFinite([]byte(body))
			if !gjson.Valid(body) {
				continue
			}
			root := gjson.Parse(body)
			taken := make([]gjson.Result, len(takes))
			found := checker.Check(root, items, taken)
			for n, path := range takes {
				if want, _ := path.Get(root); want.Raw != taken[n].Raw {
					t.Errorf("%q: %q was taken, and %q is at its path", body, taken[n].Raw, want.Raw)
				}
			}
			wrong := found.Wrong
			if slow := checker.explain(root, items, checker.variantOf(root)); slow != wrong {
				t.Errorf("%q: the walk finds %q, and the rules one after another %q", body, wrong, slow)
			}
			if utf8.ValidString(body) && !utf8.ValidString(wrong) || len(wrong) > 4096 {
				t.Errorf("%q: the sentence is %q", body, wrong)
			}
			if dimensions := found.Dimensions; dimensions < 0 {
				t.Errorf("%q: %d dimensions", body, dimensions)
			}
			if wrong == "" && !holdsMembers(body, i) {
				t.Errorf("%q: found right, while encoding/json finds members of other types", body)
			}
		}
	})
}

// holdsMembers reads a body with another parser: whether it has the members that the expectation of a number asks for.
func holdsMembers(body string, expectation int) bool {
	var chat struct {
		ID      *string          `json:"id"`
		Choices []map[string]any `json:"choices"`
	}
	var list struct {
		Data []map[string]any `json:"data"`
	}
	var task struct {
		Status *string `json:"status"`
	}
	switch expectation {
	case 0:
		return json.Unmarshal([]byte(body), &chat) != nil || chat.ID != nil && len(chat.Choices) > 0
	case 1:
		return json.Unmarshal([]byte(body), &list) != nil || list.Data != nil
	default:
		return json.Unmarshal([]byte(body), &task) != nil || task.Status != nil
	}
}
