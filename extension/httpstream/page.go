package httpstream

import "regexp"

var pageTitle = regexp.MustCompile(`(?is)<title[^>]*>(.+?)</title>`)

// bodyInWords is what a body says, as a sentence: an HTML page its title alone. What stands before a service sends pages, seldom the
// service itself. scenarios/testdata/pages.json holds it and lib/foreign-page.ts to each other.
func bodyInWords(body []byte) string {
	const looked = 4096
	head := body[:min(len(body), looked)]
	if formatOf(mediaText, head, true) != html {
		return excerpt(body)
	}
	if title := pageTitle.FindSubmatch(head); title != nil {
		return "It sent an HTML page, " + quote(title[1]) + "."
	}
	return "It sent an HTML page: " + excerpt(body)
}
