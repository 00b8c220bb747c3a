package httpstream

import (
	"bytes"
	"regexp"
	"slices"
)

var pageTitle = regexp.MustCompile(`(?is)<title[^>]*>(.+?)</title>`)

// bodyInWords is what a body says, as a sentence: an HTML page its title alone. What stands before a service sends pages, seldom the
// service itself.
func bodyInWords(body []byte) string {
	const looked = 4096
	head := body[:min(len(body), looked)]
	start := bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(head, byteOrderMark), "\r\n\t "))
	if !slices.ContainsFunc(htmlStarts, func(of []byte) bool { return bytes.HasPrefix(start, of) }) {
		return excerpt(body)
	}
	if title := pageTitle.FindSubmatch(head); title != nil {
		return "It sent an HTML page, " + quote(title[1]) + "."
	}
	return "It sent an HTML page: " + excerpt(body)
}
