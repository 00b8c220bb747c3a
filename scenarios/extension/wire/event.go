package wire

import (
	"bytes"
	"strings"

	"assay.dev/k6/sse"
	"github.com/tidwall/gjson"
)

// event judges one event of a chat stream. It allocates nothing for an ordinary one.
func (s *stream) event(e sse.Event) {
	if s.result.DoneSeen {
		return
	}
	s.events++
	if string(e.Name) == "error" {
		s.result.fail(ErrorFrame, "An error event came: "+excerpt(e.Data))
		return
	}
	if len(e.Data) == 0 {
		return
	}
	if string(bytes.TrimRight(e.Data, " \t\r\n")) == "[DONE]" {
		s.result.DoneSeen, s.result.Done = true, s.at
		s.watch.allowSilence()
		return
	}
	unnamed := len(e.Name) == 0 || string(e.Name) == "message"
	text := view(e.Data)
	if !gjson.Valid(text) {
		if unnamed {
			s.result.fail(Malformed, "An event is not JSON: "+excerpt(e.Data))
		}
		return
	}
	root := gjson.Parse(text)
	if !root.IsObject() {
		if unnamed {
			s.result.fail(Contract, "An event is JSON but no object: "+excerpt(e.Data))
		}
		return
	}
	s.chunk(root, e.Data, unnamed)
}

// chunk reads an event's object: its error, choices and usage.
func (s *stream) chunk(root gjson.Result, data []byte, unnamed bool) {
	var problem, choices, usage gjson.Result
	root.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "error":
			problem = value
		case "choices":
			choices = value
		case "usage":
			usage = value
		}
		return true
	})
	if problem.Type != gjson.Null {
		s.result.fail(ErrorFrame, "An event holds an error: "+excerpt(data))
		return
	}
	if !unnamed && choices.Raw == "" {
		return
	}
	if choices.Type != gjson.Null && !choices.IsArray() {
		s.result.fail(Contract, "choices of an event is no array: "+excerpt(data))
		return
	}
	s.tokens(usage)
	if choices.IsArray() {
		s.choices(choices, data)
	}
}

func (s *stream) tokens(usage gjson.Result) {
	if !usage.IsObject() {
		return
	}
	usage.ForEach(func(key, value gjson.Result) bool {
		if key.Str == "completion_tokens" && wholeCount(value) {
			s.usage = int(value.Num)
		}
		return true
	})
}

// choices looks at every choice; the event counts once, however many of them have content.
func (s *stream) choices(choices gjson.Result, data []byte) {
	var content, reasoning bool
	choices.ForEach(func(_, choice gjson.Result) bool {
		c, r, wrong := s.choice(choice)
		if wrong != "" {
			s.result.fail(Contract, wrong+": "+excerpt(data))
		}
		content, reasoning = content || c, reasoning || r
		return true
	})
	if reasoning {
		s.reasoning = true
		s.anyContent()
	}
	if content {
		s.content()
	}
}

func (s *stream) choice(choice gjson.Result) (content, reasoning bool, wrong string) {
	if !choice.IsObject() {
		return false, false, "A choice of an event is no object"
	}
	var delta, message gjson.Result
	choice.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "delta":
			delta = value
		case "message":
			message = value
		case "finish_reason":
			if value.Type == gjson.String && value.Str != "" {
				s.finish(value.Str)
			}
		}
		return true
	})
	switch {
	case delta.Type == gjson.Null && message.IsObject():
		return false, false, "An event holds a whole completion"
	case delta.Type == gjson.Null:
		return false, false, ""
	case !delta.IsObject():
		return false, false, "The delta of an event is no object"
	}
	return readDelta(delta)
}

func (s *stream) finish(reason string) {
	if s.result.FinishReason != reason {
		s.result.FinishReason = strings.Clone(shorten(reason, 64))
	}
}

func readDelta(delta gjson.Result) (content, reasoning bool, wrong string) {
	delta.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "content":
			content = value.Type == gjson.String && value.Str != ""
			if value.Type != gjson.String && value.Type != gjson.Null {
				wrong = "The content of an event is neither a string nor null"
			}
		case "reasoning_content", "reasoning":
			reasoning = reasoning || value.Type == gjson.String && value.Str != ""
		}
		return true
	})
	return content, reasoning, wrong
}
