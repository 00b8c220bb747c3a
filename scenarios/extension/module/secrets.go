package module

import (
	"net/http"
	"strings"
)

// secretsOf lists the parts of the values of a script's headers that must not be written, even when the target repeats
// them: whole values, and credentials without their scheme.
func secretsOf(header http.Header) []string {
	var secrets []string
	for name, values := range header {
		switch name {
		case "Accept", "Content-Type":
			continue
		case "Authorization", "Proxy-Authorization":
			for _, value := range values {
				if _, credentials, found := strings.Cut(value, " "); found {
					secrets = append(secrets, strings.TrimSpace(credentials))
				}
			}
		}
		secrets = append(secrets, values...)
	}
	return secrets
}
