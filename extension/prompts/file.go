// Package prompts makes the texts of requests: from prompts files, which it does not hold in memory, and from words.
//
// load/inputs/prompts.ts reads the same files for the command line; the cases in
// scenarios/testdata/prompt-files.json hold both to one behaviour.
package prompts

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// File is a prompts file. It keeps where each entry is, 12 bytes per entry, and reads an entry when it is asked for; of a small
// file it keeps what it made.
type File struct {
	name    string
	source  io.ReaderAt
	kind    layout
	offsets []int64
	lengths []uint32
	chats   *kept
	plain   *kept
}

// Index finds the entries of a file and checks each. The name is used in errors, which state the first entry that cannot be read.
func Index(name string, source io.ReaderAt, size int64) (*File, error) {
	f := &File{name: name, source: source}
	err := scan(io.NewSectionReader(source, 0, size), func(kind layout) visit {
		f.kind = kind
		return f.add
	})
	if err == nil && len(f.offsets) == 0 {
		err = errors.New("it contains no prompt")
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read prompts from %s: %w", name, err)
	}
	f.chats, f.plain = newKept(f.Len()), newKept(f.Len())
	return f, nil
}

func (f *File) add(place string, offset int64, data []byte) error {
	switch _, err := parseEntry(f.kind, view(data)); {
	case errors.Is(err, errSkip):
		return nil
	case err != nil:
		return fmt.Errorf("%s %w", place, err)
	}
	f.offsets = append(f.offsets, offset)
	f.lengths = append(f.lengths, uint32(len(data)))
	return nil
}

// view is the bytes as a string without a copy; the bytes must not change while it is in use.
func view(data []byte) string { return unsafe.String(unsafe.SliceData(data), len(data)) }

// Len is the number of prompts.
func (f *File) Len() int { return len(f.offsets) }

// entry reads an entry by its number, from 0.
func (f *File) entry(n int) (entry, error) {
	if n < 0 || n >= f.Len() {
		return entry{}, fmt.Errorf("cannot read prompt %d of %s: there are %d", n, f.name, f.Len())
	}
	data := make([]byte, f.lengths[n])
	if _, err := f.source.ReadAt(data, f.offsets[n]); err != nil {
		return entry{}, fmt.Errorf("cannot read prompt %d of %s: %w", n, f.name, err)
	}
	e, err := parseEntry(f.kind, view(data))
	if err != nil {
		return entry{}, fmt.Errorf("cannot read prompt %d of %s, which has changed: it %w", n, f.name, err)
	}
	return e, nil
}

// Messages is a prompt as the messages of a chat: a JSON array. The first message begins with the opening, which needs no escaping.
func (f *File) Messages(n int, opening string) (string, error) {
	messages, err := f.chats.text(n, func() (string, error) {
		e, err := f.entry(n)
		if err != nil {
			return "", err
		}
		return string(append(appendMessages([]byte{'['}, e.chat()), ']')), nil
	})
	return opened(messages, opening), err
}

// contentStart precedes the content of a message. No role contains it, since quotation marks are escaped.
const contentStart = `","content":"`

// opened is messages as JSON, the first of which begins with the opening.
func opened(messages, opening string) string {
	before, after, found := strings.Cut(messages, contentStart)
	if !found || opening == "" {
		return messages
	}
	return before + contentStart + opening + after
}

// Text is a prompt as one text that begins with the opening: a JSON string. Above zero, most is how many characters of it are taken.
func (f *File) Text(n, most int, opening string) (string, error) {
	if most > 0 {
		text, err := f.cut(n, max(1, most-len(opening)))
		return begun(text, opening), err
	}
	text, err := f.plain.text(n, func() (string, error) { return f.cut(n, 0) })
	return begun(text, opening), err
}

// begun is a JSON string that begins with the opening.
func begun(text, opening string) string {
	if text == "" || opening == "" {
		return text
	}
	return `"` + opening + text[1:]
}

func (f *File) cut(n, most int) (string, error) {
	e, err := f.entry(n)
	if err != nil {
		return "", err
	}
	text := e.plain()
	if most > 0 {
		text = firstCharacters(text, most)
	}
	return string(appendJSON(nil, text)), nil
}

// Turns is a prompt as a conversation: for each turn the messages up to what the user says in it, without those of the
// assistant, as JSON joined by commas. The first message begins with the opening.
func (f *File) Turns(n int, opening string) ([]string, error) {
	e, err := f.entry(n)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, turn := range e.turns() {
		all = append(all, string(appendMessages(nil, turn)))
	}
	all[0] = opened(all[0], opening)
	return all, nil
}

// Delays are the times before the turns of a prompt, from the response before, in milliseconds; 0 where none is stated.
func (f *File) Delays(n int) ([]float64, error) {
	e, err := f.entry(n)
	if err != nil {
		return nil, err
	}
	var all []float64
	for _, turn := range e.turns() {
		all = append(all, turn[len(turn)-1].delayMS)
	}
	return all, nil
}

func firstCharacters(text string, most int) string {
	if len(text) <= most || utf8.RuneCountInString(text) <= most {
		return text
	}
	end := 0
	for range most {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return text[:end]
}
