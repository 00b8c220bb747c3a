package httpstream

// Outcome is how a request ended; every request has exactly one.
type Outcome string

// The outcomes, as in formats/outcomes.ts.
const (
	OK          Outcome = "ok"
	HTTPError   Outcome = "http_error"
	RateLimited Outcome = "rate_limited"
	ErrorFrame  Outcome = "error_frame"
	Truncated   Outcome = "truncated"
	NoDone      Outcome = "no_done"
	Stalled     Outcome = "stalled"
	TimedOut    Outcome = "timeout"
	Refused     Outcome = "refused"
	Reset       Outcome = "reset"
	TLS         Outcome = "tls"
	Malformed   Outcome = "malformed"
	Contract    Outcome = "contract"
	TooLarge    Outcome = "too_large"
	ClientError Outcome = "client_error"
	Cancelled   Outcome = "cancelled_by_us"
	Left        Outcome = "left"
)

// Flags mark what is unusual about a response that was measured all the same.
const (
	// FlagNoDone marks a stream that ended with a finish_reason and without [DONE].
	FlagNoDone = "no-done"
	// FlagUnfinishedEvent marks a stream whose last event lacks its blank line.
	FlagUnfinishedEvent = "unfinished-event"
	// FlagMediaType marks a response whose media type is missing or is not the expected one.
	FlagMediaType = "media-type"
	// FlagTooLong marks a JSON response longer than [MaxKept], whose content was not checked.
	FlagTooLong = "too-long-to-check"
	// FlagBuffered marks a stream whose content came at once: several events without a wait between them, or one for
	// several tokens. Its gaps say nothing about the target.
	FlagBuffered = "buffered"
	// FlagLargeFirstEvent marks a stream whose first event with content holds so many tokens that the time from it to the last
	// is not that of all tokens but one.
	FlagLargeFirstEvent = "large-first-event"
	// FlagEmpty marks a stream that ended without content.
	FlagEmpty = "empty"
	// FlagOpenAfterDone marks a stream that the target ended much later than its [DONE]: its e2e is that of its end.
	FlagOpenAfterDone = "open-after-done"
	// FlagBelowMaxTokens marks a reply that the target ended for its length before it had as many tokens as were asked for.
	FlagBelowMaxTokens = "below-max-tokens"
	// FlagPacketLoss marks a response of which packets were lost or late, as TCP saw it: what came after them waited.
	FlagPacketLoss = "packet-loss"
)

// Formats of a streamed response other than an event stream.
const (
	FormatJSONLines = "json-lines"
	FormatText      = "text"
)

// Sources of the number of output tokens.
const (
	TokensOfUsage  = "usage"
	TokensOfChunks = "chunks"
)
