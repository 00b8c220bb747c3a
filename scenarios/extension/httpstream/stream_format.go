package httpstream

import (
	"bytes"
	"mime"
	"strings"
)

// format is how a streamed answer is written.
type format int

const (
	undecided  format = iota
	events            // text/event-stream, or what reads like it
	wholeJSON         // one JSON value, which is no stream
	jsonLines         // a JSON value a line
	plainText         // text without structure
	foreign           // HTML
	byContent         // no usable media type: the first bytes decide
	textOrSSE         // text/plain: the first bytes decide
	sseOrOther        // text/event-stream: the first bytes confirm it
)

// declared reads the format from a media type.
func declared(contentType string) format {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil && media == "" {
		media = strings.ToLower(strings.TrimSpace(contentType))
	}
	switch media {
	case "text/event-stream":
		return sseOrOther
	case "application/json", "text/json", "application/problem+json":
		return wholeJSON
	case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl", "application/jsonlines",
		"application/x-jsonlines", "application/json-lines", "application/stream+json", "application/json-seq":
		return jsonLines
	case "text/html", "application/xhtml+xml":
		return foreign
	case "text/plain":
		return textOrSSE
	default:
		return byContent
	}
}

var sseFields = [][]byte{[]byte("data:"), []byte("event:"), []byte("id:"), []byte("retry:"), []byte(":")}

// sniff decides a format by the first bytes; undecided asks for more of them. final says that there are none.
func sniff(kind format, head []byte, final bool) format {
	switch kind {
	case byContent, textOrSSE, sseOrOther:
	default:
		return kind
	}
	mark := []byte("\xef\xbb\xbf")
	if len(head) < len(mark) && bytes.HasPrefix(mark, head) && !final {
		return undecided
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head, mark), "\r\n\t ")
	if len(head) == 0 {
		if final && kind == textOrSSE {
			return plainText
		}
		if final {
			return events
		}
		return undecided
	}
	if kind != textOrSSE {
		switch head[0] {
		case '<':
			return foreign
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
