package module

import "strings"

// secretsOf lists the parts of a header value that must not be recorded, even when the target repeats them.
func secretsOf(value string) []string {
	const shortest = 6 // a shorter word is no secret, and would blank ordinary text
	var secrets []string
	for _, part := range append([]string{value}, strings.Fields(value)...) {
		if len(part) >= shortest && part != "Bearer" {
			secrets = append(secrets, part)
		}
	}
	return secrets
}

// redact blanks the secrets in a text.
func redact(text string, secrets []string) string {
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, "[redacted]")
	}
	return text
}
