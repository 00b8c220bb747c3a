// Package sse parses event streams by the WHATWG rules, incrementally and without an allocation per chunk.
package sse

import "bytes"

// MaxEvent is the maximum size of an event in bytes. A longer one and everything after it are dropped, and
// [Parser.TooLong] reports it.
const MaxEvent = 8 << 20

// maxRetained is the size of a buffer that is kept for the next stream.
const maxRetained = 256 << 10

// Event is one dispatched event. Its slices are valid only until the handler returns.
type Event struct {
	// Name is the value of the event field; empty for an unnamed event.
	Name []byte
	// Data is the values of the data fields, joined by line feeds.
	Data []byte
}

// Parser turns the bytes of a stream into events, however the bytes are split. The zero value is not usable; see
// [NewParser].
type Parser struct {
	handle func(Event)

	line []byte // start of a line whose end was not received yet
	data []byte // data lines of the event so far, each followed by a line feed
	name []byte

	bom     int  // bytes of the byte order mark matched so far; -1 once the stream has begun
	skipLF  bool // the last line ended with CR, so a line feed that follows belongs to it
	tooLong bool
}

const byteOrderMark = "\xef\xbb\xbf"

// NewParser returns a parser that calls handle once per event, in order.
func NewParser(handle func(Event)) *Parser {
	return &Parser{handle: handle}
}

// Reset makes the parser ready for another stream and keeps its buffers, unless a long event has made them large.
func (p *Parser) Reset() {
	if cap(p.line) > maxRetained || cap(p.data) > maxRetained {
		p.line, p.data = nil, nil
	}
	p.line, p.data, p.name = p.line[:0], p.data[:0], p.name[:0]
	p.bom, p.skipLF, p.tooLong = 0, false, false
}

// TooLong reports whether an event exceeded [MaxEvent].
func (p *Parser) TooLong() bool { return p.tooLong }

// Feed parses the next bytes of the stream.
func (p *Parser) Feed(chunk []byte) {
	if p.bom >= 0 {
		chunk = p.skipMark(chunk)
	}
	for at, lf := 0, -1; at < len(chunk); {
		if p.skipLF {
			p.skipLF = false
			if chunk[at] == '\n' {
				at++
				continue
			}
		}
		if lf < at {
			lf = nextLF(chunk, at)
		}
		end := lf
		if cr := bytes.IndexByte(chunk[at:lf], '\r'); cr >= 0 {
			end = at + cr
		}
		if end == len(chunk) {
			p.keep(chunk[at:])
			return
		}
		p.skipLF = chunk[end] == '\r'
		p.endLine(chunk[at:end])
		at = end + 1
	}
}

// Finish ends the stream. It treats the bytes after the last line end as a line, and returns the event that lacks its
// blank line, if there is one: the WHATWG rules drop it, so the caller decides.
func (p *Parser) Finish() (Event, bool) {
	if p.bom > 0 {
		p.keep([]byte(byteOrderMark[:p.bom]))
		p.bom = -1
	}
	if len(p.line) > 0 {
		p.field(p.line)
		p.line = p.line[:0]
	}
	if len(p.data) == 0 {
		return Event{}, false
	}
	return Event{Name: p.name, Data: p.data[:len(p.data)-1]}, true
}

// skipMark drops a byte order mark at the very start; what only began like one is parsed after all.
func (p *Parser) skipMark(chunk []byte) []byte {
	for len(chunk) > 0 && p.bom < len(byteOrderMark) {
		if chunk[0] != byteOrderMark[p.bom] {
			p.keep([]byte(byteOrderMark[:p.bom]))
			break
		}
		p.bom++
		chunk = chunk[1:]
	}
	if len(chunk) > 0 || p.bom == len(byteOrderMark) {
		p.bom = -1
	}
	return chunk
}

// nextLF returns where the next line feed is, from at on; the length of chunk when there is none.
func nextLF(chunk []byte, at int) int {
	if lf := bytes.IndexByte(chunk[at:], '\n'); lf >= 0 {
		return at + lf
	}
	return len(chunk)
}

func (p *Parser) keep(part []byte) {
	if len(p.line)+len(part)+len(p.data) > MaxEvent {
		p.tooLong = true
		return
	}
	p.line = append(p.line, part...)
}

func (p *Parser) endLine(rest []byte) {
	line := rest
	if len(p.line) > 0 {
		p.keep(rest)
		line = p.line
	}
	if len(line) == 0 {
		p.dispatch()
	} else {
		p.field(line)
	}
	p.line = p.line[:0]
}

func (p *Parser) dispatch() {
	if len(p.data) > 0 && !p.tooLong {
		p.handle(Event{Name: p.name, Data: p.data[:len(p.data)-1]})
	}
	p.data, p.name = p.data[:0], p.name[:0]
}

func (p *Parser) field(line []byte) {
	colon := bytes.IndexByte(line, ':')
	if colon == 0 {
		return // a comment
	}
	name, value := line, []byte(nil)
	if colon > 0 {
		name, value = line[:colon], line[colon+1:]
		if len(value) > 0 && value[0] == ' ' {
			value = value[1:]
		}
	}
	switch string(name) {
	case "data":
		if len(p.data)+len(value) > MaxEvent {
			p.tooLong = true
			return
		}
		p.data = append(append(p.data, value...), '\n')
	case "event":
		p.name = append(p.name[:0], value...)
	}
}
