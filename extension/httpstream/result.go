package httpstream

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// NotMeasured is the value of a duration that does not apply or was not measured.
const NotMeasured time.Duration = -1

// Unknown is the value of a count that does not apply or was not read.
const Unknown = -1

// maxDetail bounds the sentence of a result, in bytes.
const maxDetail = 300

// Result is what is known about one request. Durations count from Sent, on the monotonic clock.
type Result struct {
	Sent    time.Time
	Outcome Outcome
	// Detail is a sentence about what was wrong; empty when nothing was.
	Detail string
	// Fault is what this machine lacked, of a [ClientError].
	Fault ClientFault
	Flags []string

	Status     int     // 0 without a response
	Proto      string  // such as HTTP/1.1
	RetryAfter float64 // seconds; Unknown without one
	Date       string  // the header, by the clock of the target
	Bytes      int64   // of the body; Unknown without a response
	Connected  bool    // there was a connection
	Reused     bool    // it had served a request before
	Resent     int
	// Address is that of the connection, or the one that could not be connected to: of the target, or of its proxy.
	Address string
	// Lookup, Connect and TLS are the parts of the time to a new connection: until its name was resolved, until it was open, with
	// a tunnel, and its handshake. 0 of a used one.
	Lookup, Connect, TLS time.Duration

	TTFB, TTFT, TTFTAny, Done, E2E time.Duration
	// Empties are the events with choices and neither content nor reasoning; Blanks those of them whose first choice has an empty
	// content and no role.
	Empties, Blanks Events
	// Usage is the last event with a usage.
	Usage time.Duration
	// TTLTAny is that of the last event with content or reasoning, of a stream with reasoning.
	TTLTAny time.Duration

	// Chunks counts events with content; Unknown when the response was not an event stream.
	Chunks int
	// Coalesced counts those that came in the same read as the previous one.
	Coalesced int
	// GapsUS are the times between them, in microseconds: one less than Chunks.
	GapsUS       []int64
	DoneSeen     bool
	FinishReason string
	// Format is set when the stream was not an event stream: json-lines or text.
	Format string

	InputTokens     int    // Unknown when it was not reported
	OutputTokens    int    // Unknown when it was neither counted nor reported
	TokenSource     string // usage or chunks
	ReasoningTokens int    // of the output tokens; Unknown when it was not reported
	CachedTokens    int    // of the input tokens, those that a cache had; Unknown when it was not reported
	Dimensions      int    // length of the vectors; 0 without any
	Completion      string // id of a chat completion
	Task            string
	TaskState       string
	VideoURL        string  // of a completed task; not recorded: it may be signed
	Progress        float64 // NaN when not read
	Cost            float64 // of a video task; NaN when not read

	// Text is the content of the first choice, of a request that asked for it.
	Text string

	Kept *Kept // nil without a response, or when it is not kept

	full bool // the response is not read on: it is too large, or the client leaves
}

// Events is how many events of a kind there were, and when the first and the last of them were read.
type Events struct {
	Count       int
	First, Last time.Duration
}

func (e *Events) add(at time.Duration) {
	if e.Count == 0 {
		e.First = at
	}
	e.Last = at
	e.Count++
}

func newResult(sent time.Time) *Result {
	return &Result{
		Sent: sent, RetryAfter: Unknown, Bytes: Unknown, Chunks: Unknown, InputTokens: Unknown, OutputTokens: Unknown, ReasoningTokens: Unknown, CachedTokens: Unknown, Progress: math.NaN(), Cost: math.NaN(),
		TTFB: NotMeasured, TTFT: NotMeasured, TTFTAny: NotMeasured, TTLTAny: NotMeasured, Usage: NotMeasured, Done: NotMeasured, E2E: NotMeasured,
	}
}

// fail sets the outcome unless it is set already.
func (r *Result) fail(outcome Outcome, detail string) {
	if r.Outcome == "" {
		r.Outcome, r.Detail = outcome, ShortDetail(detail)
	}
}

// ShortDetail cuts a text to the longest detail of a record.
func ShortDetail(text string) string { return shorten(text, maxDetail) }

func (r *Result) flag(name string) {
	if !slices.Contains(r.Flags, name) {
		r.Flags = append(r.Flags, name)
	}
}

// CheckLength flags a reply that ended for its length with fewer tokens than the request allowed, by the target's own count. An end
// token may be counted or not.
func (r *Result) CheckLength(maxTokens int) {
	isCounted := r.Outcome == OK && r.TokenSource == TokensOfUsage
	if isCounted && r.FinishReason == "length" && r.OutputTokens+1 < maxTokens {
		r.flag(FlagBelowMaxTokens)
	}
}

// now is the time since the request was sent.
func (r *Result) now() time.Duration { return time.Since(r.Sent) }

// shorten cuts a text to at most most bytes, between characters.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most - len("…")
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// excerpt shortens what the target sent to what fits into a sentence; an ellipsis marks each cut.
func excerpt(data []byte) string {
	const looked, most = 400, 160
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(data[:min(len(data), looked)]), "�")), " ")
	if len(data) > looked && len(text) <= most-len("…") {
		return text + "…"
	}
	return shorten(text, most)
}

func quote(data []byte) string { return strconv.Quote(excerpt(data)) }
