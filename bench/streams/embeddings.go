package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// dimensions of a vector.
const dimensions = 256

var vector = "[" + strings.Repeat("0.0123456789,", dimensions-1) + "1]"

// embeddings is the body of a response with a vector for each input of a request.
func embeddings(body []byte) string {
	var request struct {
		Input json.RawMessage `json:"input"`
	}
	var inputs []json.RawMessage
	if json.Unmarshal(body, &request) != nil || json.Unmarshal(request.Input, &inputs) != nil {
		inputs = []json.RawMessage{request.Input} // a text alone
	}
	var data strings.Builder
	for index := range inputs {
		if index > 0 {
			data.WriteByte(',')
		}
		fmt.Fprintf(&data, `{"object":"embedding","index":%d,"embedding":%s}`, index, vector)
	}
	return `{"object":"list","model":"bench","data":[` + data.String() + `],"usage":{"prompt_tokens":1,"total_tokens":1}}`
}
