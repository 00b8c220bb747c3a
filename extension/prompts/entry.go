package prompts

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// message is one of a conversation.
type message struct {
	role, content string
	// delayMS is the time before it, from the response before; 0 where none is stated.
	delayMS float64
	// waits is whether it waits for a response that the file does not have: a single request ends before it.
	waits bool
}

// entry is a prompt: a conversation, or a text.
type entry struct {
	messages []message // nil for a text
	text     string
}

// errSkip is that of an entry in which no user speaks, as published files hold.
var errSkip = errors.New("no user speaks")

// kinds are the members that hold a prompt; an entry has one of them.
var kinds = []string{"messages", "prompt", "input", "conversations"}

// parseEntry reads an entry of a file; the strings may refer to the bytes.
func parseEntry(kind layout, source string) (entry, error) {
	if kind == plainLines {
		return entry{text: source}, nil
	}
	if !strings.HasPrefix(strings.TrimLeft(source, " \t\r\f\v\n"), "{") || !gjson.Valid(source) {
		return entry{}, errors.New("is not a JSON object")
	}
	found := map[string]gjson.Result{}
	gjson.Parse(source).ForEach(func(key, value gjson.Result) bool {
		found[key.String()] = value
		return true
	})
	var given []string
	for _, name := range kinds {
		// Columns of a table are null where a row has none.
		if found[name].Type != gjson.Null {
			given = append(given, name)
		}
	}
	if len(given) == 0 || len(given) == 1 && given[0] == "input" {
		if text := instructionOf(found); text != "" {
			return entry{text: text}, nil
		}
	}
	switch {
	case len(given) == 0:
		return entry{}, fmt.Errorf("has none of %s, instruction", strings.Join(kinds, ", "))
	case len(given) == 2 && given[0] == "messages" && given[1] == "prompt":
		// UltraChat has the whole conversation, and its first message once more.
		return upToUser(readMessages(found["messages"]))
	case len(given) > 1:
		return entry{}, fmt.Errorf("has both %s; it may have one", strings.Join(given, " and "))
	}
	return readers[given[0]](found[given[0]])
}

// instructionOf is what is to be done, of Alpaca and Dolly, and the text to do it with, where there is one.
func instructionOf(found map[string]gjson.Result) string {
	if !isText(found["instruction"]) {
		return ""
	}
	for _, name := range []string{"input", "context"} {
		if isText(found[name]) {
			return found["instruction"].String() + "\n\n" + found[name].String()
		}
	}
	return found["instruction"].String()
}

// upToUser leaves out what follows the last user message.
func upToUser(e entry, err error) (entry, error) {
	for n := len(e.messages) - 1; n >= 0; n-- {
		if e.messages[n].role == user {
			return entry{messages: e.messages[:n+1]}, nil
		}
	}
	if err == nil {
		err = errSkip
	}
	return entry{}, err
}

var readers = map[string]func(gjson.Result) (entry, error){
	"messages":      readMessages,
	"prompt":        readPrompt,
	"input":         readInput,
	"conversations": readConversations,
}

func isText(value gjson.Result) bool {
	return value.Type == gjson.String && strings.Trim(value.String(), " \t\r\n\f\v") != ""
}

func readPrompt(value gjson.Result) (entry, error) {
	if !isText(value) {
		return entry{}, errors.New(`has a "prompt" that is not a text, or an empty one`)
	}
	return entry{text: value.String()}, nil
}

func readInput(value gjson.Result) (entry, error) {
	if isText(value) {
		return entry{text: value.String()}, nil
	}
	wrong := errors.New(`has an "input" that is neither a text nor a list of texts, or an empty one`)
	if !value.IsArray() {
		return entry{}, wrong
	}
	var texts []string
	for _, item := range value.Array() {
		if !isText(item) {
			return entry{}, wrong
		}
		texts = append(texts, item.String())
	}
	if len(texts) == 0 {
		return entry{}, wrong
	}
	return entry{text: strings.Join(texts, "\n")}, nil
}

func readMessages(value gjson.Result) (entry, error) {
	wrong := errors.New(`has "messages" that are not a list of {"role": "…", "content": "…"}`)
	if !value.IsArray() {
		return entry{}, wrong
	}
	var all []message
	for _, item := range value.Array() {
		role, content := last(item, "role"), last(item, "content")
		if !isText(role) || content.Type != gjson.String {
			return entry{}, wrong
		}
		all = append(all, message{role.String(), content.String(), max(0, last(item, "delay").Num), last(item, "waits").Type == gjson.True})
	}
	if len(all) == 0 {
		return entry{}, wrong
	}
	return entry{messages: all}, nil
}

// last is the member of a name; of several the last one counts, as in JSON.parse.
func last(object gjson.Result, name string) (found gjson.Result) {
	if !object.IsObject() {
		return gjson.Result{}
	}
	object.ForEach(func(key, value gjson.Result) bool {
		if key.String() == name {
			found = value
		}
		return true
	})
	return found
}

const (
	user      = "user"
	assistant = "assistant"
)

// speakers are the names of ShareGPT; some published files use others.
var speakers = map[string]string{
	"human": user, "user": user, "gpt": assistant, "chatgpt": assistant, "bing": assistant, "bard": assistant, "assistant": assistant, "system": "system",
}

// readConversations leaves out what follows the last user message.
func readConversations(value gjson.Result) (entry, error) {
	if !value.IsArray() {
		return entry{}, errors.New(`has "conversations" that are not a list`)
	}
	var all []message
	for _, turn := range value.Array() {
		from, content := last(turn, "from"), last(turn, "value")
		role, known := speakers[from.String()]
		if from.Type != gjson.String || !known || content.Type != gjson.String {
			return entry{}, errors.New(`has "conversations" with a turn that is not {"from": "human", "gpt" or "system", "value": "…"}`)
		}
		all = append(all, message{role: role, content: content.String()})
	}
	return upToUser(entry{messages: all}, nil)
}

// appendMessages appends messages as JSON, joined by commas.
func appendMessages(out []byte, messages []message) []byte {
	for n, m := range messages {
		if n > 0 {
			out = append(out, ',')
		}
		out = append(out, `{"role":`...)
		out = appendJSON(out, m.role)
		out = append(out, `,"content":`...)
		out = appendJSON(out, m.content)
		out = append(out, '}')
	}
	return out
}

// said is the entry as messages.
func (e entry) said() []message {
	if e.messages != nil {
		return e.messages
	}
	return []message{{role: user, content: e.text}}
}

// chat is the entry as the messages of a single request.
func (e entry) chat() []message {
	said := e.said()
	if end := slices.IndexFunc(said, func(m message) bool { return m.waits }); end > 0 {
		return said[:end]
	}
	return said
}

// plain is the entry as one text: of a conversation the last user message.
func (e entry) plain() string {
	said := e.chat()
	for n := len(said) - 1; n >= 0; n-- {
		if said[n].role == user {
			return said[n].content
		}
	}
	return said[len(said)-1].content
}

// turns are what the user says in each turn, with what is said to the model before it and the assistant does not say.
func (e entry) turns() (all [][]message) {
	var turn []message
	for _, m := range e.said() {
		if m.role == assistant {
			continue
		}
		turn = append(turn, m)
		if m.role == user {
			all, turn = append(all, turn), nil
		}
	}
	if all == nil {
		return [][]message{e.said()}
	}
	return all
}

// appendJSON appends a string as JSON.stringify writes it; bytes that are not UTF-8 become U+FFFD.
func appendJSON(out []byte, text string) []byte {
	const hex = "0123456789abcdef"
	out = append(out, '"')
	begin := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			if r == utf8.RuneError && size == 1 {
				out = append(append(out, text[begin:i]...), "\uFFFD"...)
				begin = i + 1
			}
			i += size
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		out = append(out, text[begin:i]...)
		switch c {
		case '"', '\\':
			out = append(out, '\\', c)
		case '\n':
			out = append(out, '\\', 'n')
		case '\r':
			out = append(out, '\\', 'r')
		case '\t':
			out = append(out, '\\', 't')
		case '\b':
			out = append(out, '\\', 'b')
		case '\f':
			out = append(out, '\\', 'f')
		default:
			out = append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		begin = i
	}
	return append(append(out, text[begin:]...), '"')
}
