package httpstream

import (
	"bytes"
	"strings"

	"assay.dev/k6/sse"
	"github.com/tidwall/gjson"
)

// event evaluates one event of a chat stream. It allocates nothing for an ordinary one.
func (s *stream) event(e sse.Event) {
	if s.result.DoneSeen {
		return
	}
	s.events++
	if len(e.Name) == 0 && s.template.fits(e.Data) {
		text := s.template.text(e.Data)
		s.keepText(view(text))
		s.content(len(text))
		return
	}
	if string(e.Name) == "error" {
		s.result.fail(ErrorFrame, "An error event was received: "+excerpt(e.Data))
		return
	}
	if len(e.Data) == 0 {
		return
	}
	unnamed := len(e.Name) == 0 || string(e.Name) == "message"
	if unnamed && string(bytes.TrimRight(e.Data, " \t\r\n")) == "[DONE]" {
		s.result.DoneSeen, s.result.Done = true, s.at
		s.watch.allowSilence()
		return
	}
	text := view(e.Data)
	if fault := jsonFault(text); fault != "" {
		if unnamed {
			s.result.fail(Malformed, "An event is "+fault+": "+excerpt(e.Data))
		}
		return
	}
	root := gjson.Parse(text)
	if !root.IsObject() {
		if unnamed {
			s.result.fail(Contract, "An event is JSON but not an object: "+excerpt(e.Data))
		}
		return
	}
	s.chunk(root, e.Data, unnamed)
}

// chunk reads an event's object: its error, choices and usage.
func (s *stream) chunk(root gjson.Result, data []byte, unnamed bool) {
	var problem, said, choices, usage gjson.Result
	root.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "id":
			if s.result.Completion == "" {
				s.result.Completion = idOf(value)
			}
		case "error":
			if value.Type != gjson.Null {
				problem, said = value, value
			}
		case "object", "type":
			if isErrorKind(value) {
				problem = value
			}
		case "choices":
			choices = value
		case "usage":
			usage = value
		}
		return true
	})
	if problem.Type != gjson.Null {
		if choices.Raw != "" && said.Raw != "" {
			data = []byte(said.Raw) // choices would take the place of the error
		}
		s.result.fail(ErrorFrame, "An event contains an error: "+excerpt(data))
		return
	}
	if !unnamed && choices.Raw == "" {
		return
	}
	if choices.Type != gjson.Null && !choices.IsArray() {
		s.result.fail(Contract, "choices of an event is not an array: "+excerpt(data))
		return
	}
	s.tokens(usage)
	if !choices.IsArray() {
		return
	}
	if text := s.choices(choices, data); text.Raw != "" && !usage.IsObject() {
		s.template.learn(data, text.Index, len(text.Raw))
	}
}

func (s *stream) tokens(usage gjson.Result) {
	if !usage.IsObject() {
		return
	}
	s.result.Usage = s.at
	usage.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "prompt_tokens":
			setCount(&s.usage.input, value)
		case "completion_tokens":
			setCount(&s.usage.output, value)
		case "completion_tokens_details":
			setCount(&s.usage.reasoning, value.Get("reasoning_tokens"))
		}
		return true
	})
	setCached(&s.usage.cached, usage)
}

// setCached takes the input tokens of a cache from a usage: from the member that OpenAI has, else from those of other services.
func setCached(count *int, usage gjson.Result) {
	for _, name := range [...]string{"prompt_tokens_details.cached_tokens", "prompt_cache_hit_tokens", "cached_tokens"} {
		if setCount(count, usage.Get(name)) {
			return
		}
	}
}

// choices reads every choice; the event counts once, however many of them have content. It returns the text when there is
// nothing else: a single choice, with content and neither reasoning nor an end.
func (s *stream) choices(choices gjson.Result, data []byte) (text gjson.Result) {
	var content, more, reasoning, some, blank bool
	choices.ForEach(func(_, choice gjson.Result) bool {
		c := s.choice(choice)
		blank = blank || !some && c.blank && !c.role
		some, reasoning = true, reasoning || c.reasoning
		if c.wrong != "" {
			s.result.fail(Contract, c.wrong+": "+excerpt(data))
		}
		if c.reasoning {
			s.reasoning = true
			s.anyContent()
		}
		more = more || content || c.reasoning || c.finished || c.wrong != ""
		if c.text.Raw != "" {
			if !content {
				s.keepText(c.text.String())
			}
			content, text = true, c.text
		}
		return true
	})
	if content {
		s.content(len(text.Raw) - len(`""`))
	} else if some && !reasoning {
		s.empty(blank)
	}
	if more {
		return gjson.Result{}
	}
	return text
}

// choice is what one choice of an event contains.
type choice struct {
	text      gjson.Result // the content; its Raw is empty without one
	blank     bool         // the content is an empty string
	role      bool
	reasoning bool
	finished  bool
	wrong     string
}

func (s *stream) choice(value gjson.Result) (c choice) {
	if !value.IsObject() {
		c.wrong = "A choice of an event is not an object"
		return c
	}
	var delta, message gjson.Result
	value.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "delta":
			delta = value
		case "message":
			message = value
		case "finish_reason":
			if value.Type == gjson.String && value.Str != "" {
				c.finished = true
				s.finish(value.Str)
			}
		}
		return true
	})
	switch {
	case delta.IsObject():
		c.read(delta)
	case delta.Type != gjson.Null:
		c.wrong = "The delta of an event is not an object"
	case message.IsObject():
		c.wrong = "An event contains a message instead of a delta"
	}
	return c
}

// keepText adds to the text of the response, if it is asked for; what is longer than a body that is kept ends there.
func (s *stream) keepText(part string) {
	if s.keepsText && len(s.text)+len(part) <= MaxKept {
		s.text = append(s.text, part...)
	}
}

// finish keeps the reason why a response ended; with some, the target says that it did not finish it.
func (s *stream) finish(reason string) {
	if isUnfinished(reason) {
		s.result.fail(ErrorFrame, "The target ended the stream with finish_reason "+quote([]byte(reason))+".")
	}
	if s.result.FinishReason != reason {
		s.result.FinishReason = strings.Clone(shorten(reason, 64))
	}
}

// read reads a delta.
func (c *choice) read(delta gjson.Result) {
	delta.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "content":
			c.text = gjson.Result{}
			c.blank = value.Type == gjson.String && value.Str == ""
			if value.Type == gjson.String && !c.blank {
				c.text = value
			}
			if value.Type != gjson.String && value.Type != gjson.Null {
				c.wrong = "The content of an event is neither a string nor null"
			}
		case "role":
			c.role = true
		case "reasoning_content", "reasoning":
			c.reasoning = c.reasoning || value.Type == gjson.String && value.Str != ""
		}
		return true
	})
}
