package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// shortestSecret is the size below which a secret occurs in texts by chance: it is not looked for.
	shortestSecret = 8
	// mostLayers of escapes are undone, one within the other.
	mostLayers = 4
)

// formsOf are what is looked for in a text: the secret itself, and what services make of it that is no escape of single
// characters. Letters are in lower case, runs of white space one space. Base64 and hexadecimal forms are not wanted where
// another secret within this one has them. The rule is that of lib/secret-forms.ts.
func formsOf(secret string, parts bool) []string {
	forms := []string{secret, byteByByte(secret), plain(secret)}
	if parts {
		var spellings []string
		for _, spelling := range []string{secret, inJSON(secret), inAddress(secret)} {
			if !slices.Contains(spellings, spelling) {
				spellings = append(spellings, spelling)
				forms = append(append(forms, base64Of(spelling)...), hex.EncodeToString([]byte(spelling)))
			}
		}
	}
	var all []string
	for _, form := range forms {
		if form = comparable(form); !slices.Contains(all, form) {
			all = append(all, form)
		}
	}
	return all
}

func comparable(form string) string {
	var out []byte
	for _, c := range []byte(form) {
		if c = lower(c); c != ' ' || len(out) == 0 || out[len(out)-1] != ' ' {
			out = append(out, c)
		}
	}
	return string(out)
}

// plain is a secret without what looks like an escape in it.
func plain(secret string) string {
	text := located{bytes: []byte(secret)}
	for _, text = range text.layers(escapes) {
	}
	return strings.ToValidUTF8(string(text.bytes), "\uFFFD")
}

// base64Of is what base64 has of a secret at each of the 3 offsets, in both alphabets: the characters that depend on it
// alone.
func base64Of(secret string) []string {
	var all []string
	for offset := range 3 {
		padded := append(make([]byte, offset), secret...)
		from, to := (offset*8+5)/6, len(padded)*8/6
		for _, encoding := range []*base64.Encoding{base64.RawURLEncoding, base64.RawStdEncoding} {
			all = append(all, encoding.EncodeToString(padded)[from:to])
		}
	}
	return all
}

func inJSON(secret string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(secret) // a string and a buffer never fail
	return out.String()[1 : out.Len()-len("\"\n")]
}

// inAddress is encodeURIComponent of JavaScript.
func inAddress(secret string) string {
	return strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*").
		Replace(url.QueryEscape(secret))
}

// byteByByte is UTF-8 that was read byte by byte.
func byteByByte(secret string) string {
	var out []byte
	for _, c := range []byte(secret) {
		out = utf8.AppendRune(out, rune(c))
	}
	return string(out)
}
