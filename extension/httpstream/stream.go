package httpstream

import (
	"bytes"
	"fmt"
	"time"

	"assay.dev/k6/sse"
)

// stream measures one streamed response. Its buffers are kept as long as the client.
type stream struct {
	parser   *sse.Parser
	template eventTemplate
	stamps   []time.Duration // read times of the events with content
	head     []byte          // first bytes, until they show the format
	body     wholeBody       // a response that may not be a stream
	lines    jsonLines

	result   *Result
	watch    *watch
	media    mediaType
	format   format
	object   bool          // the plain text begins like a JSON object
	first    time.Duration // of any byte
	at       time.Duration // of the read under way
	reads    int
	lastRead int // number of the read that brought the last content
	// arrivals counts what came from the network at different times; nil: reads have to do.
	arrivals     func() int64
	firstArrival int64 // that of the first content
	waited       bool  // content came in different arrivals
	// Bytes of content, as in its JSON: of the first event with content, and of all.
	firstBytes, contentBytes int
	events                   int
	reasoning                bool
	anyAt                    time.Duration // first content or reasoning
	anyLast                  time.Duration // last content or reasoning
	usage                    tokenUsage
	leaveAfter               int // events with content, the last of which the client reads; 0: all
	keepsText                bool
	text                     []byte // the content so far, if it is kept
}

// tokenUsage is the last usage that a stream reported; Unknown is what it did not report.
type tokenUsage struct{ input, output, reasoning, cached int }

var noUsage = tokenUsage{Unknown, Unknown, Unknown, Unknown}

func newStream() *stream {
	s := &stream{}
	s.parser = sse.NewParser(s.event)
	return s
}

// maxHead is how many bytes of white space may leave the format of a stream open.
const maxHead = 4 << 10

func (s *stream) begin(result *Result, watch *watch, contentType string) {
	*s = stream{
		parser: s.parser, template: s.template, stamps: s.stamps[:0], head: s.head[:0], body: s.body, lines: s.lines, text: s.text[:0],
		result: result, watch: watch, media: declared(contentType),
		first: NotMeasured, anyAt: NotMeasured, usage: noUsage,
	}
	if cap(s.stamps) > maxRetained/8 {
		s.stamps = nil
	}
	if cap(s.text) > maxRetained {
		s.text = nil
	}
	if cap(s.head) > maxRetained {
		s.head = nil
	}
	s.parser.Reset()
	s.template.forget()
	s.body.begin()
	s.lines.begin()
	s.settle(formatOf(s.media, nil, false))
}

// settle sets the format, once it is known.
func (s *stream) settle(found format) {
	s.format = found
	switch {
	case found == html:
		s.result.fail(Malformed, "The stream is HTML.")
	case found == events && s.media != mediaSSE:
		s.result.flag(FlagMediaType)
	case found == lines:
		s.result.Format = FormatJSONLines
	case found == plainText:
		s.result.Format = FormatText
		s.object = bytes.HasPrefix(trimLine(s.head), []byte("{"))
	}
}

func (s *stream) read(chunk []byte, at time.Duration) {
	s.watch.data(at)
	s.at = at
	s.reads++
	if s.first == NotMeasured {
		s.first = at
	}
	if s.format == undecided {
		s.head = append(s.head, chunk...)
		found := formatOf(s.media, s.head, len(s.head) > maxHead)
		if found == undecided {
			return
		}
		s.settle(found)
		chunk = s.head
	}
	s.take(chunk)
}

func (s *stream) take(chunk []byte) {
	switch s.format {
	case events:
		if s.result.DoneSeen {
			return
		}
		s.parser.Feed(chunk)
		if s.parser.TooLong() {
			s.result.tooLarge("An event is longer than %d bytes.", sse.MaxEvent)
		}
	case wholeJSON:
		s.body.read(chunk, s.at)
	case lines:
		s.lines.feed(chunk, s.result)
	case plainText:
		if s.object {
			s.body.read(chunk, s.at)
		}
	}
}

// content records an event with so many bytes of content.
func (s *stream) content(length int) {
	if len(s.stamps) == maxChunks {
		s.result.tooLarge("The stream has more than %d events with content; the others are not counted.", maxChunks)
		return
	}
	if len(s.stamps) > 0 && s.lastRead == s.reads {
		s.result.Coalesced++
	}
	s.lastRead = s.reads
	s.contentBytes += length
	if arrival := s.arrival(); len(s.stamps) == 0 {
		s.firstArrival, s.firstBytes = arrival, length
	} else if arrival != s.firstArrival {
		s.waited = true
	}
	s.stamps = append(s.stamps, s.at)
	s.anyContent()
	if len(s.stamps) == s.leaveAfter {
		s.result.full = true
		s.result.fail(Left, "")
	}
}

// empty records an event with choices that has neither content nor reasoning: other tools take some of them for a token.
func (s *stream) empty(blank bool) {
	s.result.Empties.add(s.at)
	if blank {
		s.result.Blanks.add(s.at)
	}
}

// arrival is the number of the arrival from the network that brought the read under way.
func (s *stream) arrival() int64 {
	if s.arrivals == nil {
		return int64(s.reads)
	}
	return s.arrivals()
}

// anyContent records content or reasoning.
func (s *stream) anyContent() {
	if s.anyAt == NotMeasured {
		s.anyAt = s.at
	}
	s.anyLast = s.at
}

// evaluate decides the outcome after a clean end of the body.
func (s *stream) evaluate() {
	if s.format == undecided {
		s.settle(formatOf(s.media, s.head, true))
		s.take(s.head)
	}
	switch s.format {
	case events:
		s.evaluateEvents()
	case wholeJSON:
		s.evaluateJSON()
	case lines:
		s.lines.finish(s.result)
		s.evaluateText()
	case plainText:
		failOnError(s.body.body, notStream, s.result)
		s.evaluateText()
	}
}

func (s *stream) evaluateText() {
	if s.result.Bytes == 0 {
		s.result.fail(NoDone, "The stream ended without a byte.")
	}
}

func (s *stream) evaluateEvents() {
	if last, unfinished := s.parser.Finish(); unfinished && !s.result.DoneSeen && s.result.Outcome == "" {
		s.result.flag(FlagUnfinishedEvent)
		s.event(last)
		if s.result.Outcome == Malformed {
			s.result.Outcome = Truncated
			s.result.Detail = shorten("The stream ended within an event: "+quote(last.Data)+".", maxDetail)
		}
	}
	switch {
	case s.result.DoneSeen:
	case s.result.FinishReason != "":
		s.result.flag(FlagNoDone)
	case s.events == 0 && s.result.Bytes > 0 && s.media != mediaSSE:
		s.result.fail(Malformed, fmt.Sprintf("The stream has no event; it starts with %s.", quote(s.head)))
	default:
		s.result.fail(NoDone, fmt.Sprintf("The stream ended after %d events with neither [DONE] nor a finish_reason.", s.events))
	}
}

const notStream = "The response to a streamed request is an error object: "

func (s *stream) evaluateJSON() {
	failOnError(s.body.body, notStream, s.result)
	s.result.fail(Malformed, fmt.Sprintf("The response is JSON and not a stream; it starts with %s.", quote(s.body.body)))
}

// report fills in what was measured, whatever the outcome.
func (s *stream) report() {
	r := s.result
	switch s.format {
	case lines, plainText:
		r.TTFT = s.first
		return
	case events:
	default:
		return
	}
	r.Chunks = len(s.stamps)
	r.Text = string(s.text)
	r.GapsUS = gaps(s.stamps)
	if len(s.stamps) > 0 {
		r.TTFT = s.stamps[0]
	}
	if s.reasoning {
		r.TTFTAny, r.TTLTAny = s.anyAt, s.anyLast
	}
	r.InputTokens, r.ReasoningTokens, r.CachedTokens = s.usage.input, s.usage.reasoning, s.usage.cached
	if s.usage.output != Unknown {
		r.OutputTokens, r.TokenSource = s.usage.output, TokensOfUsage
	} else {
		r.OutputTokens, r.TokenSource = r.Chunks, TokensOfChunks
	}
	if r.Outcome == OK {
		s.flagContent()
		if r.DoneSeen && r.E2E-r.Done >= openAfterDone {
			r.flag(FlagOpenAfterDone)
		}
	}
}

// openAfterDone is how long after [DONE] a stream ends at least that is flagged for it: longer than its last packet takes.
const openAfterDone = 100 * time.Millisecond

// flagContent flags an ok stream whose content shows nothing of its pace.
func (s *stream) flagContent() {
	switch chunks := len(s.stamps); {
	case chunks == 0:
		s.result.flag(FlagEmpty)
	case chunks == 1 && s.contentTokens() > 1, chunks > 1 && !s.waited:
		s.result.flag(FlagBuffered)
	case s.hasLargeFirst():
		s.result.flag(FlagLargeFirstEvent)
	}
}

// hasLargeFirst reports whether the first event with content holds so many tokens that a time per token that counts them as
// one is a tenth too short. They are taken to be those of its share of the text, which may be one too many; each further
// event has one at least, and usage may count one for the end.
func (s *stream) hasLargeFirst() bool {
	tokens := s.contentTokens()
	if s.reasoning || tokens <= len(s.stamps)+1 || s.contentBytes == 0 {
		return false
	}
	first := min(tokens*s.firstBytes/s.contentBytes, tokens-len(s.stamps))
	return first > 2 && (first-1)*10 > tokens-1
}

// contentTokens is the number of output tokens that are not reasoning, by usage; Unknown when it does not say.
func (s *stream) contentTokens() int {
	switch {
	case s.usage.output == Unknown:
		return Unknown
	case s.usage.reasoning != Unknown:
		return s.usage.output - s.usage.reasoning
	case s.reasoning:
		return Unknown
	}
	return s.usage.output
}

// gaps rounds the timestamps and not the gaps, so that the gaps add up to the total.
func gaps(stamps []time.Duration) []int64 {
	if len(stamps) < 2 {
		return nil
	}
	out := make([]int64, len(stamps)-1)
	for i := range out {
		out[i] = stamps[i+1].Round(time.Microsecond).Microseconds() - stamps[i].Round(time.Microsecond).Microseconds()
	}
	return out
}
