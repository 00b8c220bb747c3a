package redact

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestTheSharedCases(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "lib", "testdata", "redaction.json"))
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

func BenchmarkText(b *testing.B) {
	r := New([]string{"sk-Qz7&w9<v>4/k+Tp=2_Xa", "team-secret-0123456789"})
	for name, text := range map[string]string{
		"finish reason": "stop",
		"detail":        `The target returned status 401. {"error":{"message":"the key is not known","type":"invalid_request"}}`,
		"with escapes":  `The target returned status 401. {\"error\":{\"message\":\"the key is not known\",\"type\":\"x\"}}`,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				r.Text(text)
			}
		})
	}
}
