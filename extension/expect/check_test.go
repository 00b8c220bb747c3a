package expect

import (
	"encoding/json"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

const chat = `{"id":"c1","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":{"completion_tokens":3}}`

var chatExpectation = Expectation{
	Status: 200,
	Fields: []Field{
		{Path: "id", Type: "string"},
		{Path: "choices", Type: "array"},
		{Path: "choices[].index", Type: "int"},
		{Path: "choices[].message", Type: "object"},
		{Path: "choices[].message.role", Type: "string", Values: []string{"assistant"}},
		{Path: "usage", Type: "object"},
		{Path: "usage.completion_tokens", Type: "int"},
	},
	NonEmpty: []string{"choices"},
}

var listExpectation = Expectation{
	Status:  200,
	Fields:  []Field{{Path: "data", Type: "array"}, {Path: "data[].embedding", Type: "numbers"}},
	Vectors: "data[].embedding",
	Counted: "data",
}

var taskExpectation = Expectation{
	Status: 200,
	Fields: []Field{{Path: "status", Type: "string", Values: []string{"processing", "failed"}}},
	Variants: &Variants{By: "status", Fields: map[string][]Field{
		"processing": {{Path: "progress", Type: "int"}},
		"failed":     {{Path: "error", Type: "object"}, {Path: "error.code", Type: "string"}, {Path: "cost", Type: "number"}},
	}},
}

func TestCheckSaysWhatIsWrong(t *testing.T) {
	for _, tt := range []struct {
		name   string
		expect Expectation
		body   string
		items  int
		want   string // empty: nothing wrong
	}{
		{"a whole completion", chatExpectation, chat, -1, ""},
		{"no object", chatExpectation, `[1]`, -1, "The response is an array, where an object was expected."},
		{"absent field", chatExpectation, `{"choices":[]}`, -1, "id is missing; a string was expected."},
		{"null is as if missing", chatExpectation, `{"id":null}`, -1, "id is null, where a string was expected."},
		{"wrong type", chatExpectation, `{"id":7}`, -1, "id is the number 7, where a string was expected."},
		{"array for object", chatExpectation, strings.Replace(chat, `{"completion_tokens":3}`, `[]`, 1), -1,
			"usage is an array, where an object was expected."},
		{"object for array", chatExpectation, `{"id":"a","choices":{}}`, -1, "choices is an object, where an array was expected."},
		{"fraction for int", chatExpectation, strings.Replace(chat, `"index":0`, `"index":0.5`, 1), -1,
			"choices[0].index is the number 0.5, where an integer was expected."},
		{"integral fraction is an int", chatExpectation, strings.Replace(chat, `"index":0`, `"index":1.0`, 1), -1, ""},
		{"string for int", chatExpectation, strings.Replace(chat, `"index":0`, `"index":"0"`, 1), -1,
			`choices[0].index is the string "0", where an integer was expected.`},
		{"boolean", chatExpectation, `{"id":true}`, -1, "id is true, where a string was expected."},
		{"value not allowed", chatExpectation, strings.Replace(chat, "assistant", "user", 1), -1,
			`choices[0].message.role is "user", where one of "assistant" was expected.`},
		{"item is not an object", chatExpectation, `{"id":"a","choices":[3]}`, -1, "choices[0].index is missing; an integer was expected."},
		{"second item is wrong", chatExpectation, strings.Replace(chat, `}],"usage"`, `},{"index":1}],"usage"`, 1), -1,
			"choices[1].message is missing; an object was expected."},
		{"nested field of a missing object", chatExpectation, strings.Replace(chat, `,"usage":{"completion_tokens":3}`, "", 1), -1,
			"usage is missing; an object was expected."},
		{"empty array", chatExpectation, `{"id":"a","choices":[],"usage":{"completion_tokens":1}}`, -1,
			"choices is an empty array, where at least one item was expected."},
		{"of duplicates the last counts", chatExpectation, `{"id":"a",` + strings.TrimPrefix(strings.Replace(chat, `"id":"c1"`, `"id":5`, 1), "{"), -1,
			"id is the number 5, where a string was expected."},
		{"overflowing int", chatExpectation, strings.Replace(chat, ":3}", ":1e999}", 1), -1,
			"usage.completion_tokens is 1e999, which is not a finite number."},

		{"a whole list", listExpectation, `{"data":[{"embedding":[1,2.5]},{"embedding":[-3e-2,4]}]}`, 2, ""},
		{"unequal lengths", listExpectation, `{"data":[{"embedding":[1,2]},{"embedding":[3]}]}`, 2,
			"data[1].embedding has length 1, where 2 was expected, the length of data[0].embedding."},
		{"too few items", listExpectation, `{"data":[{"embedding":[1]}]}`, 2, "data has 1 items, where 2 were expected, one per input."},
		{"items not counted", listExpectation, `{"data":[{"embedding":[1]}]}`, -1, ""},
		{"string among numbers", listExpectation, `{"data":[{"embedding":[1,"2"]}]}`, 1,
			`data[0].embedding[1] is the string "2", where a number was expected.`},
		{"null among numbers", listExpectation, `{"data":[{"embedding":[null]}]}`, 1,
			"data[0].embedding[0] is null, where a number was expected."},
		{"infinite number", listExpectation, `{"data":[{"embedding":[1,-1e400]}]}`, 1,
			"data[0].embedding[1] is -1e400, which is not a finite number."},
		{"base64 for numbers", listExpectation, `{"data":[{"embedding":"` + strings.Repeat("A", 99) + `"}]}`, 1,
			`data[0].embedding is the string "` + strings.Repeat("A", 59) + "…, where an array of numbers was expected."},

		{"variant holds", taskExpectation, `{"status":"processing","progress":10}`, -1, ""},
		{"variant lacks its field", taskExpectation, `{"status":"processing"}`, -1, "progress is missing; an integer was expected."},
		{"variant with a nested field", taskExpectation, `{"status":"failed","error":{"code":1}}`, -1,
			"error.code is the number 1, where a string was expected."},
		{"number with a fraction", taskExpectation, `{"status":"failed","error":{"code":"x"},"cost":1.25}`, -1, ""},
		{"unknown variant", taskExpectation, `{"status":"paused"}`, -1,
			`status is "paused", where one of "processing", "failed" was expected.`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			checker, err := Compile(tt.expect)
			if err != nil {
				t.Fatal(err)
			}
			if got := checker.Check(gjson.Parse(tt.body), tt.items, nil).Wrong; got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// The fixture is shared with the TypeScript side, which is held to it by contract/check.test.ts.
func TestFieldTypesMeanWhatTheContractSays(t *testing.T) {
	data, err := os.ReadFile("../../contract/testdata/field-types.json")
	if err != nil {
		t.Fatal(err)
	}
	var fixture struct {
		Names  map[string]string
		Values []struct {
			Type, JSON string
			Fits       bool
			Problem    *string // nil where the two sides word it differently
		}
	}
	if err := json.Unmarshal(data, &fixture); err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for name, kind := range fieldTypes {
		names[name] = kind.name
	}
	if !maps.Equal(names, fixture.Names) {
		t.Errorf("types are %v, want %v", names, fixture.Names)
	}
	for _, value := range fixture.Values {
		checker, err := Compile(Expectation{Fields: []Field{{Path: "x", Type: value.Type}}})
		if err != nil {
			t.Fatal(err)
		}
		problem := checker.Check(gjson.Parse(`{"x":`+value.JSON+`}`), -1, nil).Wrong
		if fits := problem == ""; fits != value.Fits || value.Problem != nil && problem != *value.Problem {
			t.Errorf("%s as %s: got %q", value.JSON, value.Type, problem)
		}
	}
}

func TestCompileRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, e := range []Expectation{
		{Fields: []Field{{Path: "a", Type: "text"}}},
		{Fields: []Field{{Path: "", Type: "string"}}},
		{Fields: []Field{{Path: "a[", Type: "string"}}},
		{Fields: []Field{{Path: "a][", Type: "string"}}},
		{Fields: []Field{{Path: "a..b", Type: "string"}}},
		{NonEmpty: []string{"."}},
		{Counted: "[]"},
		{Variants: &Variants{By: "a", Fields: map[string][]Field{"x": {{Path: "b", Type: "?"}}}}},
	} {
		if _, err := Compile(e); err == nil {
			t.Errorf("%+v was accepted", e)
		}
	}
}

func TestPathGetReadsNestedValues(t *testing.T) {
	path, err := ParsePath("usage.completion_tokens")
	if err != nil {
		t.Fatal(err)
	}
	if value, ok := path.Get(gjson.Parse(chat)); !ok || value.Int() != 3 {
		t.Errorf("got %v %v, want 3", value, ok)
	}
	if _, ok := path.Get(gjson.Parse(`{"usage":null}`)); ok {
		t.Error("a member of null was found")
	}
}
