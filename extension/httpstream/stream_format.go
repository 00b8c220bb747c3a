package httpstream

import (
	"bytes"
	"mime"
	"strings"
)

// mediaType is what the header of a streamed response declares, as far as it matters.
type mediaType int

const (
	mediaOther     mediaType = iota // none, or one that is too general: the first bytes decide
	mediaSSE                        // text/event-stream: the first bytes confirm it
	mediaText                       // text/plain: the first bytes decide whether it is an event stream or HTML
	mediaJSONLines                  // likewise
	mediaJSON
	mediaHTML
)

// declared reads the media type of a Content-Type header.
func declared(contentType string) mediaType {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil && media == "" {
		media = strings.ToLower(strings.TrimSpace(contentType))
	}
	switch media {
	case "text/event-stream":
		return mediaSSE
	case "application/json", "text/json", "application/problem+json":
		return mediaJSON
	case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl", "application/jsonlines",
		"application/x-jsonlines", "application/json-lines", "application/stream+json", "application/json-seq":
		return mediaJSONLines
	case "text/html", "application/xhtml+xml":
		return mediaHTML
	case "text/plain":
		return mediaText
	default:
		return mediaOther
	}
}

// format is how a streamed response is written.
type format int

const (
	undecided format = iota
	events           // an event stream, or what reads like one
	wholeJSON        // one JSON value, which is not a stream
	lines            // one JSON value per line
	plainText        // text without structure
	html
)

var (
	byteOrderMark = []byte("\xef\xbb\xbf")
	sseFields     = [][]byte{[]byte("data:"), []byte("event:"), []byte("id:"), []byte("retry:"), []byte(":")}
	// htmlStarts are in small letters; plain text may begin with another tag.
	htmlStarts = [][]byte{[]byte("<!doctype html"), []byte("<html")}
)

// formatOf decides the format by the media type and the first bytes; undecided asks for more of them. final says that
// there are no more.
func formatOf(media mediaType, head []byte, final bool) format {
	switch media {
	case mediaJSON:
		return wholeJSON
	case mediaHTML:
		return html
	}
	if len(head) < len(byteOrderMark) && bytes.HasPrefix(byteOrderMark, head) && !final {
		return undecided
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head, byteOrderMark), "\r\n\t ")
	if len(head) == 0 && !final {
		return undecided
	}
	switch media {
	case mediaText:
		return formatAmong(head, final, plainText)
	case mediaJSONLines:
		if len(head) > 0 && head[0] == '<' {
			return html
		}
		return formatAmong(head, final, lines)
	}
	switch {
	case len(head) == 0:
		return events
	case head[0] == '<':
		return html
	case head[0] == '{' || head[0] == '[':
		return wholeJSON
	}
	return events
}

// formatAmong decides between an event stream, HTML and the format that the media type declares.
func formatAmong(head []byte, final bool, declared format) format {
	isEvents, mayBeEvents := begins(head, sseFields)
	isHTML, mayBeHTML := begins(bytes.ToLower(head[:min(len(head), len(htmlStarts[0]))]), htmlStarts)
	switch {
	case isEvents:
		return events
	case isHTML:
		return html
	case !final && (mayBeEvents || mayBeHTML):
		return undecided
	}
	return declared
}

// begins reports whether head begins with one of starts, and whether it may do so once there is more of it.
func begins(head []byte, starts [][]byte) (does, may bool) {
	for _, start := range starts {
		does = does || bytes.HasPrefix(head, start)
		may = may || bytes.HasPrefix(start, head)
	}
	return does, may
}
