package route

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// The scheme of an address, and its host with its port.
var (
	schemed   = regexp.MustCompile(`^(?is)(?:([a-z][a-z\d+.-]*)://)?(.*)$`)
	authority = regexp.MustCompile(`^(?i)(\[[\da-f:.]+\]|[^\s:\[\]%<>"\\^` + "`" + `{|}]+)(?::(\d*))?$`)
)

const highestPort = 65_535

// parseAddress reads the address of a proxy as lib/proxy-address.ts does. Only the last @ ends the credentials, which may so
// contain any character, escaped or not. It returns nil for a text that is no such address.
func parseAddress(text string) *url.URL {
	parts := schemed.FindStringSubmatch(strings.TrimSpace(text))
	scheme, rest := strings.ToLower(parts[1]), parts[2]
	if scheme == "" {
		scheme = "http"
	}
	at := strings.LastIndexByte(rest, '@')
	end := at + 1 + strings.IndexAny(rest[at+1:], "/?#")
	if end == at {
		end = len(rest)
	}
	found := authority.FindStringSubmatch(rest[at+1 : end])
	if found == nil {
		return nil
	}
	if port, err := strconv.Atoi(found[2]); found[2] != "" && (err != nil || port > highestPort) {
		return nil
	}
	address := &url.URL{Scheme: scheme, Host: strings.TrimSuffix(found[0], ":")}
	if at >= 0 {
		name, password, _ := strings.Cut(rest[:at], ":")
		address.User = url.UserPassword(unescaped(name), unescaped(password))
	}
	return address
}

// unescaped returns what a text with percent escapes means; a text whose escapes are none is taken as it is.
func unescaped(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}
