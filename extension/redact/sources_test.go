package redact

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"testing"
)

func TestHeaderValuesAreRedactedWholeAndInPart(t *testing.T) {
	basic := base64.StdEncoding.EncodeToString([]byte("user:pass-0123"))
	header := http.Header{}
	for name, value := range map[string]string{
		"authorization": "Bearer sk-very-secret", "x-team": "on", "x-tenant": "tenant-0123", "content-type": "application/json",
		"proxy-authorization": "Basic " + basic, "cookie": "a=1; session=s-01234567",
	} {
		header.Set(name, value)
	}
	redactor := New(OfHeader(header))
	for text, want := range map[string]string{
		"key Bearer sk-very-secret is bad": "key Bearer <redacted> is bad",
		"key 'sk-very-secret' is bad":      "key '<redacted>' is bad",
		"Bearer is a word":                 "Bearer is a word",
		"team on only":                     "team on only",
		"of tenant-0123":                   "of <redacted>",
		"not application/json":             "not application/json",
		"user:pass-0123":                   "<redacted>",
		"password pass-0123":               "password <redacted>",
		"Basic " + basic:                   "Basic <redacted>",
		"session s-01234567":               "session <redacted>",
	} {
		if got := redactor.Text(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestAShortKeyIsRedactedWithItsScheme(t *testing.T) {
	secrets := OfHeader(http.Header{"Authorization": {"Bearer s3"}})
	if got := New(secrets).Text("Bearer s3 is not s3"); got != "<redacted> is not s3" {
		t.Errorf("got %q", got)
	}
}

func TestTextsOfJSONAreRedactedOneByOne(t *testing.T) {
	redact := New([]string{`12345678`, `a":"bcdefg`}).Text
	for given, want := range map[string]string{
		`{"rate":12345678,"a":"bcdefg"}`:                `{"a":"bcdefg","rate":12345678}`,
		`{"target":"http://host/12345678","n":[1e400]}`: `{"n":[1e400],"target":"http://host/<redacted>"}`,
		`{"z":1, "a":2}`:                                `{"z":1, "a":2}`,
	} {
		if got := JSON(json.RawMessage(given), redact); string(got) != want {
			t.Errorf("%s became %s, want %s", given, got, want)
		}
	}
}
