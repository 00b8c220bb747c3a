package prompts

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxEntry is the longest entry that is read, in bytes: a line without its line feed, or an item of an array. The cases of
// scenarios/testdata/long-entries.json hold Node to the same.
const MaxEntry = 16 << 20

// layout is how a file holds its entries. Its first character decides.
type layout int

const (
	plainLines layout = iota // every line is a prompt
	jsonLines                // every line is a JSON object: the file begins with {
	jsonArray                // every item of one JSON array is an object: the file begins with [
)

// visit is called with every entry: its place in words, the offset of its first byte, and its bytes, which are valid until
// it returns.
type visit func(place string, offset int64, data []byte) error

const byteOrderMark = "\xef\xbb\xbf"

// source reads the bytes of a file one after another and counts them.
type source struct {
	*bufio.Reader
	offset int64
}

// scan finds the entries of a file. Blank lines are no entries.
func scan(file io.Reader, each func(layout) visit) error {
	s := &source{Reader: bufio.NewReaderSize(file, 1<<20)}
	if mark, err := s.Peek(len(byteOrderMark)); err == nil && string(mark) == byteOrderMark {
		s.skip(len(mark))
	}
	lines := 1
	for {
		c, err := s.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case c == '\n':
			lines++
		case isBlank(c):
		case c == '[':
			return s.items(each(jsonArray))
		default:
			kind := plainLines
			if c == '{' {
				kind = jsonLines
			}
			return s.lines(lines, c, each(kind))
		}
	}
}

func (s *source) skip(n int) {
	discarded, _ := s.Discard(n)
	s.offset += int64(discarded)
}

func (s *source) next() (byte, error) {
	c, err := s.ReadByte()
	if err == nil {
		s.offset++
	}
	return c, err
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' }

// lines visits every line that is not blank. The first character of the first one, which is line number n, has been read.
func (s *source) lines(n int, first byte, each visit) error {
	line := []byte{first}
	begin := s.offset - 1
	for ; ; n++ {
		whole, err := s.rest(line, n)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		line = whole[:0]
		if text := bytes.TrimRight(whole, "\r\n"); len(bytes.Trim(text, " \t\r\f\v")) > 0 {
			if err := each(fmt.Sprintf("line %d", n), begin, text); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
		begin = s.offset
	}
}

var lineFeed = []byte{'\n'}

// rest reads to the end of a line.
func (s *source) rest(line []byte, n int) ([]byte, error) {
	for {
		part, err := s.ReadSlice('\n')
		s.offset += int64(len(part))
		line = append(line, part...)
		if len(bytes.TrimSuffix(line, lineFeed)) > MaxEntry {
			return nil, tooLong(fmt.Sprintf("line %d", n))
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func tooLong(place string) error {
	return fmt.Errorf("%s is longer than %d MiB", place, MaxEntry>>20)
}

// items visits every item of an array, whose bracket has been read.
func (s *source) items(each visit) error {
	for n := 1; ; n++ {
		c, err := s.solid()
		switch {
		case err != nil:
			return fmt.Errorf("the array ends within item %d: %w", n, err)
		case c == ']' && n == 1:
			return s.end()
		}
		begin := s.offset - 1
		item, c, err := s.item(c, n)
		if err != nil {
			return err
		}
		if err := each(fmt.Sprintf("item %d", n), begin, item); err != nil {
			return err
		}
		if c == ' ' {
			if c, err = s.solid(); err != nil {
				return fmt.Errorf("the array ends after item %d: %w", n, err)
			}
		}
		if c == ']' {
			return s.end()
		}
		if c != ',' {
			return fmt.Errorf("item %d is followed by %q, where a comma or the end of the array was expected", n, c)
		}
	}
}

// solid returns the next character that is no white space.
func (s *source) solid() (byte, error) {
	for {
		if c, err := s.next(); err != nil || c != '\n' && !isBlank(c) {
			return c, err
		}
	}
}

func (s *source) end() error {
	c, err := s.solid()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("the array is followed by %q, where the end of the file was expected", c)
}

// item reads the item that begins with c, and the character after it; a space stands for any white space.
func (s *source) item(c byte, n int) (item []byte, after byte, err error) {
	depth, quoted := 0, false
	for {
		switch {
		case quoted:
			if c == '"' {
				quoted = false
			}
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']' && depth > 0:
			depth--
		case depth == 0 && (c == ',' || c == ']'):
			return item, c, nil
		case depth == 0 && (c == '\n' || isBlank(c)):
			return item, ' ', nil
		}
		item = append(item, c)
		if quoted && c == '\\' {
			if c, err = s.next(); err != nil {
				return nil, 0, fmt.Errorf("the array ends within item %d: %w", n, err)
			}
			item = append(item, c)
		}
		if len(item) > MaxEntry {
			return nil, 0, tooLong(fmt.Sprintf("item %d", n))
		}
		if depth == 0 && !quoted && (c == '}' || c == '"') {
			return item, ' ', nil
		}
		if c, err = s.next(); err != nil {
			return nil, 0, fmt.Errorf("the array ends within item %d: %w", n, err)
		}
	}
}
