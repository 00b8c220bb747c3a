package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzText puts a secret into any text, in several encodings: it is found in each, and what is redacted stays as it is.
func FuzzText(f *testing.F) {
	f.Add("sk-0123456789", "the key ", " is unknown")
	f.Add("sk-Qz7&w9<v>4/k+Tp=2_Xa", "%7", "…&#x27;\\u0")
	f.Add("        \t", "H4sI", "\x1f\x8b\x08\x00")
	f.Add("aaaaaaaaaaaaaaaa", "aaaa…", "…aaaa")
	f.Fuzz(func(t *testing.T, secret, before, after string) {
		if len(secret) > 200 || len(before)+len(after) > 4096 {
			return
		}
		r := New([]string{secret})
		_ = r.Text(before + after)
		if !ordinary(secret) {
			_ = r.Text(before + secret + after)
			return
		}
		inJSON, _ := json.Marshal(secret) // a string never fails
		for _, encoded := range []string{
			secret, string(inJSON), url.QueryEscape(secret), hex.EncodeToString([]byte(secret)),
			base64.StdEncoding.EncodeToString([]byte(secret)),
		} {
			given := before + "\n" + encoded + "\n" + after
			redacted := r.Text(given)
			if strings.Contains(redacted, encoded) {
				t.Errorf("secret %q is left in %q of %q", secret, redacted, given)
			}
			if again := r.Text(redacted); again != redacted && strings.Contains(again, secret) {
				t.Errorf("%q became %q", redacted, again)
			}
		}
	})
}

// ordinary reports whether a secret is one that a header can hold, and no part of the mark itself.
func ordinary(secret string) bool {
	printable := strings.IndexFunc(secret, func(c rune) bool { return c <= ' ' || c > '~' }) < 0
	return printable && utf8.ValidString(secret) && len(secret) >= shortestSecret && !strings.Contains(mark, secret)
}
