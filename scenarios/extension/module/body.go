package module

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
)

// bodyOf is the body of a call: a text, or the parts of one.
func (e *endpoint) bodyOf(given sobek.Value) ([]byte, error) {
	parts, ok := given.(*sobek.Object)
	if !ok {
		return []byte(given.String()), nil
	}
	var few [8]string
	texts, size := few[:0], 0
	for n := range int(parts.Get("length").ToInteger()) {
		part, err := partOf(parts.Get(strconv.Itoa(n)))
		if err != nil {
			return nil, fmt.Errorf("cannot send %s: part %d of its body %w", e.options.Op, n+1, err)
		}
		texts, size = append(texts, part), size+len(part)
	}
	body := make([]byte, 0, size)
	for _, text := range texts {
		body = append(body, text...)
	}
	return body, nil
}

// partOf is a part of a body, which is a text.
func partOf(given sobek.Value) (string, error) {
	if text, ok := given.(sobek.String); ok {
		return text.String(), nil
	}
	if common.IsNullish(given) {
		return "", errors.New("is missing")
	}
	return "", fmt.Errorf("is %s, which is no text", given)
}
