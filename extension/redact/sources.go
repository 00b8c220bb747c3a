package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
)

// OfHeader lists the parts of the headers of a script that must not be written even when the target repeats them: values,
// and the credentials within them. The rule is that of lib/secret-sources.ts.
func OfHeader(header http.Header) []string {
	var secrets []string
	for name, values := range header {
		switch name {
		case "Accept", "Content-Type":
			continue
		case "Authorization", "Proxy-Authorization":
			for _, value := range values {
				secrets = append(secrets, credentialsOf(value)...)
			}
		case "Cookie":
			for _, value := range values {
				secrets = append(secrets, value)
				for _, pair := range strings.Split(value, ";") {
					_, part, _ := strings.Cut(pair, "=")
					secrets = append(secrets, part)
				}
			}
		default:
			secrets = append(secrets, values...)
		}
	}
	return secrets
}

func credentialsOf(value string) []string {
	scheme, credentials, found := strings.Cut(strings.TrimSpace(value), " ")
	if credentials = strings.TrimSpace(credentials); !found || len(credentials) < shortestSecret {
		return []string{value}
	}
	if !strings.EqualFold(scheme, "basic") {
		return []string{credentials}
	}
	pair, err := base64.StdEncoding.DecodeString(credentials)
	if err != nil {
		return []string{credentials}
	}
	_, password, _ := strings.Cut(string(pair), ":")
	return []string{credentials, string(pair), password}
}

// JSON applies redact to each text of a JSON value, and so keeps it one. Without a secret, the value is left as it is.
func JSON(raw json.RawMessage, redact func(string) string) json.RawMessage {
	if redact(string(raw)) == string(raw) {
		return raw
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return json.RawMessage("{}")
	}
	var clean bytes.Buffer
	encoder := json.NewEncoder(&clean)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(textsOf(value, redact)) // what was JSON can be written as JSON
	return bytes.TrimSpace(clean.Bytes())
}

func textsOf(value any, redact func(string) string) any {
	switch value := value.(type) {
	case string:
		return redact(value)
	case []any:
		for i, item := range value {
			value[i] = textsOf(item, redact)
		}
		return value
	case map[string]any:
		clean := make(map[string]any, len(value))
		for name, member := range value {
			clean[redact(name)] = textsOf(member, redact)
		}
		return clean
	default:
		return value
	}
}
