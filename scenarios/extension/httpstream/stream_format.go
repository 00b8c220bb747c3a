package httpstream

import (
	"bytes"
	"mime"
	"strings"
)

// mediaType is what the header of a streamed response declares, as far as it matters.
type mediaType int

const (
	mediaOther mediaType = iota // none, or one that is too general: the first bytes decide
	mediaSSE                    // text/event-stream: the first bytes confirm it
	mediaText                   // text/plain: the first bytes decide whether it is an event stream
	mediaJSON
	mediaJSONLines
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
	jsonLines        // one JSON value per line
	plainText        // text without structure
	html
)

var sseFields = [][]byte{[]byte("data:"), []byte("event:"), []byte("id:"), []byte("retry:"), []byte(":")}

// formatOf decides the format by the media type and the first bytes; undecided asks for more of them. final says that
// there are no more.
func formatOf(media mediaType, head []byte, final bool) format {
	switch media {
	case mediaJSON:
		return wholeJSON
	case mediaJSONLines:
		return jsonLines
	case mediaHTML:
		return html
	}
	mark := []byte("\xef\xbb\xbf")
	if len(head) < len(mark) && bytes.HasPrefix(mark, head) && !final {
		return undecided
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head, mark), "\r\n\t ")
	if len(head) == 0 {
		if final && media == mediaText {
			return plainText
		}
		if final {
			return events
		}
		return undecided
	}
	if media != mediaText {
		switch head[0] {
		case '<':
			return html
		case '{', '[':
			return wholeJSON
		}
		return events
	}
	for _, field := range sseFields {
		if bytes.HasPrefix(head, field) {
			return events
		}
		if bytes.HasPrefix(field, head) && !final {
			return undecided
		}
	}
	return plainText
}
