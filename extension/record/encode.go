package record

import (
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"assay.dev/k6/httpstream"
)

// Append appends the record as one JSON line, with its gaps unless a summary of them is asked for. What was not measured
// is absent. It allocates nothing but the buffer.
func (r *Record) Append(buffer []byte, summary *Summary) []byte {
	e := encoder{append(buffer, '{')}
	e.text("id", r.ID)
	e.text("trace_id", r.TraceID)
	e.text("op", r.Op)
	e.text("phase", r.Phase)
	e.count("arrival", int(r.Arrival), httpstream.Unknown)
	e.text("workload", r.Workload)
	e.count("turn", r.Turn, 0)
	e.count("turns", r.Turns, 0)
	e.tags(r.Tags)
	e.text("model", r.Model)
	e.instant("scheduled", r.Scheduled)
	e.instant("sent", r.Sent)
	e.text("outcome", string(r.Outcome))
	e.text("detail", r.Detail)
	e.text("client_fault", string(r.Fault))
	e.count("status", r.Status, 0)
	e.number("retry_after", r.RetryAfter, r.RetryAfter != httpstream.Unknown)
	e.duration("ttfb", r.TTFB)
	e.duration("ttft", r.TTFT)
	e.duration("ttft_any", r.TTFTAny)
	e.duration("ttft_scheduled", r.SinceScheduled(r.TTFT))
	e.duration("done", r.Done)
	e.duration("e2e", r.E2E)
	e.duration("e2e_scheduled", r.SinceScheduled(r.E2E))
	e.duration("slot_wait", r.SlotWait)
	e.duration("lag", r.Lag)
	e.count("items", r.Items, httpstream.Unknown)
	e.count("dimensions", r.Dimensions, 0)
	e.text("completion", r.Completion)
	e.text("task", r.Task)
	e.text("task_state", r.TaskState)
	e.number("progress", r.Progress, !math.IsNaN(r.Progress))
	e.number("cost", r.Cost, !math.IsNaN(r.Cost))
	e.text("cancel_reason", string(r.CancelReason))
	e.text("cancel_at", r.CancelAt)
	e.count("video_seconds", r.VideoSeconds, 0)
	e.text("video_resolution", r.VideoResolution)
	e.text("leave", r.Leave)
	e.stream(r, summary)
	e.count("max_tokens", r.MaxTokens, httpstream.Unknown)
	e.count("input_digest", int(r.InputDigest), 0)
	e.count("prefix_digest", int(r.PrefixDigest), 0)
	e.count("requested_input_tokens", r.RequestedInputTokens, httpstream.Unknown)
	e.count("input_tokens", r.InputTokens, httpstream.Unknown)
	e.count("output_tokens", r.OutputTokens, httpstream.Unknown)
	e.count("reasoning_tokens", r.ReasoningTokens, httpstream.Unknown)
	e.count("cached_tokens", r.CachedTokens, httpstream.Unknown)
	e.text("token_source", r.TokenSource)
	e.count("bytes", int(r.Bytes), httpstream.Unknown)
	if r.Connected {
		e.truth("reused", r.Reused)
	}
	e.text("address", r.Address)
	e.some("lookup", r.Lookup)
	e.some("connect", r.Connect)
	e.some("tls", r.TLS)
	e.count("resent", r.Resent, 0)
	e.text("proto", r.Proto)
	e.list("flags", r.Flags)
	return append(e.out, '}', '\n')
}

func (e *encoder) stream(r *Record, summary *Summary) {
	e.text("format", r.Format)
	if r.Chunks == httpstream.Unknown {
		return
	}
	e.count("chunks", r.Chunks, httpstream.Unknown)
	e.count("coalesced", r.Coalesced, httpstream.Unknown)
	if summary == nil {
		e.key("gaps_us")
		e.integers(r.GapsUS)
	} else {
		e.summary(r, summary)
	}
	e.duration("ttlt_any", r.TTLTAny)
	e.events("empties", r.Empties)
	e.events("blanks", r.Blanks)
	if r.Usage > 0 && r.Usage != r.Done {
		e.duration("usage_at", r.Usage)
	}
	e.truth("done_seen", r.DoneSeen)
	e.text("finish_reason", r.FinishReason)
}

// encoder appends members to an object.
type encoder struct{ out []byte }

func (e *encoder) key(name string) {
	if e.out[len(e.out)-1] != '{' {
		e.out = append(e.out, ',')
	}
	e.out = append(append(append(e.out, '"'), name...), '"', ':')
}

func (e *encoder) text(name, value string) {
	if value != "" {
		e.key(name)
		e.out = appendString(e.out, value)
	}
}

func (e *encoder) truth(name string, value bool) {
	e.key(name)
	e.out = strconv.AppendBool(e.out, value)
}

func (e *encoder) count(name string, value, absent int) {
	if value != absent {
		e.key(name)
		e.out = strconv.AppendInt(e.out, int64(value), 10)
	}
}

func (e *encoder) number(name string, value float64, known bool) {
	if known {
		e.key(name)
		e.out = strconv.AppendFloat(e.out, value, 'f', -1, 64)
	}
}

func (e *encoder) integers(values []int64) {
	e.out = append(e.out, '[')
	for i, value := range values {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		e.out = strconv.AppendInt(e.out, value, 10)
	}
	e.out = append(e.out, ']')
}

// events appends how many events there were, and microseconds until the first and the last; nothing when there were none.
func (e *encoder) events(name string, events httpstream.Events) {
	if events.Count == 0 {
		return
	}
	e.key(name)
	e.integers([]int64{int64(events.Count), events.First.Round(time.Microsecond).Microseconds(), events.Last.Round(time.Microsecond).Microseconds()})
}

// duration appends a duration in milliseconds with three decimals.
func (e *encoder) duration(name string, d time.Duration) {
	if d == httpstream.NotMeasured {
		return
	}
	e.key(name)
	micros := d.Round(time.Microsecond).Microseconds()
	if micros < 0 {
		e.out, micros = append(e.out, '-'), -micros
	}
	e.out = strconv.AppendInt(e.out, micros/1000, 10)
	rest := micros % 1000
	e.out = append(e.out, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
}

// some appends a duration of a microsecond at least.
func (e *encoder) some(name string, d time.Duration) {
	if d >= time.Microsecond {
		e.duration(name, d)
	}
}

// clock anchors wall times to the monotonic clock, so that a step of the wall clock does not shift records against each
// other.
var clock = time.Now()

// Instant writes a time as ISO 8601 in UTC with microseconds.
func Instant(t time.Time) string { return string(appendInstant(nil, t)) }

func appendInstant(out []byte, t time.Time) []byte {
	return clock.Add(t.Sub(clock)).UTC().AppendFormat(out, "2006-01-02T15:04:05.000000Z")
}

func (e *encoder) instant(name string, t time.Time) {
	e.key(name)
	e.out = append(appendInstant(append(e.out, '"'), t), '"')
}

func (e *encoder) tags(tags []Tag) {
	if len(tags) == 0 {
		return
	}
	e.key("tags")
	e.out = append(e.out, '{')
	for _, tag := range tags {
		if e.out[len(e.out)-1] != '{' {
			e.out = append(e.out, ',')
		}
		e.out = append(appendString(e.out, tag.Name), ':')
		e.out = appendString(e.out, tag.Value)
	}
	e.out = append(e.out, '}')
}

func (e *encoder) list(name string, values []string) {
	if len(values) == 0 {
		return
	}
	e.key(name)
	e.out = append(e.out, '[')
	for i, value := range values {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		e.out = appendString(e.out, value)
	}
	e.out = append(e.out, ']')
}

// appendString appends a JSON string; bytes that are not UTF-8 become U+FFFD.
func appendString(out []byte, text string) []byte {
	const hex = "0123456789abcdef"
	out = append(out, '"')
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			switch {
			case c == '"' || c == '\\':
				out = append(out, '\\', c)
			case c < ' ' || c == 0x7f:
				out = append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			default:
				out = append(out, c)
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		out = utf8.AppendRune(out, r)
		i += size
	}
	return append(out, '"')
}
