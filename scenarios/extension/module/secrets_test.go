package module

import "testing"

func TestRedactBlanksHeaderValuesWholeAndInPart(t *testing.T) {
	secrets := secretsOf("Bearer sk-very-secret")
	for text, want := range map[string]string{
		"key Bearer sk-very-secret is bad": "key [redacted] is bad",
		"key 'sk-very-secret' is bad":      "key '[redacted]' is bad",
		"Bearer is a word":                 "Bearer is a word",
	} {
		if got := redact(text, secrets); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	if short := secretsOf("on"); len(short) != 0 {
		t.Errorf("the short value became %q", short)
	}
}
