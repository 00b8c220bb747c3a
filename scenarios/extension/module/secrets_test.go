package module

import (
	"net/http"
	"testing"

	"assay.dev/k6/redact"
)

func TestHeaderValuesAreRedactedWholeAndInPart(t *testing.T) {
	header := http.Header{}
	for name, value := range map[string]string{
		"authorization": "Bearer sk-very-secret", "x-team": "on", "content-type": "application/json",
	} {
		header.Set(name, value)
	}
	redactor := redact.New(secretsOf(header))
	for text, want := range map[string]string{
		"key Bearer sk-very-secret is bad": "key <redacted> is bad",
		"key 'sk-very-secret' is bad":      "key '<redacted>' is bad",
		"Bearer is a word":                 "Bearer is a word",
		"team on only":                     "team <redacted> only",
		"not application/json":             "not application/json",
	} {
		if got := redactor.Text(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
