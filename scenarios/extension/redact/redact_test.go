package redact

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestTheSharedCases(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "lib", "testdata", "redaction.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name, Text, Expected string
		Secrets              []string
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, tt := range cases {
		if got := New(tt.Secrets).Text(tt.Text); got != tt.Expected {
			t.Errorf("%s: got %q, want %q", tt.Name, got, tt.Expected)
		}
	}
}

func TestATextWithoutASecretCostsNothing(t *testing.T) {
	r := New([]string{"sk-0123456789"})
	if n := testing.AllocsPerRun(100, func() { r.Text("stop") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
