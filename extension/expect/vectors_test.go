package expect

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/tidwall/gjson"
)

var embeddingsExpectation = Expectation{
	Status: 200,
	Fields: []Field{
		{Path: "data", Type: "array"}, {Path: "data[].index", Type: "int"}, {Path: "data[].embedding", Type: "numbers"},
	},
	Vectors: "data[].embedding",
	Counted: "data",
	Indexes: "data[].index",
}

func TestEmbeddingsAreChecked(t *testing.T) {
	data, err := os.ReadFile("../../scenarios/testdata/embeddings.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name, Body, Problem string
		Items, Dimensions   int
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	checker, err := Compile(embeddingsExpectation)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range cases {
		t.Run(tt.Name, func(t *testing.T) {
			var problem string
			if root := gjson.Parse(tt.Body); gjson.Valid(tt.Body) {
				found := checker.Check(root, tt.Items, nil)
				problem = found.Wrong
				if got := found.Dimensions; problem == "" && got != tt.Dimensions {
					t.Errorf("dimensions %d, want %d", got, tt.Dimensions)
				}
			} else {
				problem = checker.NotFinite([]byte(tt.Body))
			}
			if problem != tt.Problem {
				t.Errorf("got  %q\nwant %q", problem, tt.Problem)
			}
		})
	}
}

func TestWhatIsNotJSONOtherwiseIsNotCalledNotFinite(t *testing.T) {
	checker, err := Compile(embeddingsExpectation)
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{"", "NaN of nothing", `{"a":NaN`, `{"a":"NaN"`, `{"a":"\`, "<html>Infinity</html>"} {
		if got := checker.NotFinite([]byte(body)); got != "" {
			t.Errorf("%q: got %q", body, got)
		}
	}
	plain, err := Compile(Expectation{Status: 200})
	if err != nil {
		t.Fatal(err)
	}
	if got := plain.NotFinite([]byte(`{"a":NaN}`)); got != "" {
		t.Errorf("without vectors: got %q", got)
	}
}
