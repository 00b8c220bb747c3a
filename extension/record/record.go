// Package record writes what was measured: one JSON line per request.
package record

import (
	"encoding/json"
	"time"

	"assay.dev/k6/httpstream"
)

// Schema is the id of the format; see formats/records.ts.
const Schema = "assay.records/1"

// Header is the first line of a file.
type Header struct {
	Schema   string          `json:"schema"`
	Settings json.RawMessage `json:"settings"`
	Seed     uint64          `json:"seed"`
	Segment  string          `json:"segment,omitempty"`
	// Run is the name of the run in a cluster, which its runners share; empty elsewhere.
	Run string `json:"run,omitempty"`
	K6  string `json:"k6"`
	// K6SHA256 is the SHA-256 of the program that measures; empty where it cannot be read.
	K6SHA256  string `json:"k6Sha256,omitempty"`
	StartedAt string `json:"startedAt"`
}

// Tag is a tag of a request, from the scenario.
type Tag struct{ Name, Value string }

// Record is one request: what the run knows about it, and what was measured.
type Record struct {
	ID, Op, Phase, Model string
	// Workload is the name of the workload that it belongs to; empty in a load of one.
	Workload string
	// TraceID is that of the traceparent that was sent; empty without one.
	TraceID string
	// Arrival is the number of the arrival that it belongs to; httpstream.Unknown for none.
	Arrival int64
	Tags    []Tag
	// Scheduled is when the arrival was due; the time of sending for a request that is not on a schedule.
	Scheduled time.Time
	// SlotWait and Lag are httpstream.NotMeasured unless the request is the first of an open loop's arrival.
	SlotWait, Lag time.Duration
	// Items is the number of inputs; httpstream.Unknown without inputs.
	Items int
	// MaxTokens is the limit of output tokens that was asked for; httpstream.Unknown without one.
	MaxTokens int
	// RequestedInputTokens is how many tokens the inputs were made to have; httpstream.Unknown where that is not known.
	RequestedInputTokens int
	// InputDigest is the same for requests with the same input, 52 bits of a hash; 0 without an input.
	InputDigest uint64
	// PrefixDigest is the same for requests whose inputs begin alike.
	PrefixDigest uint64
	// Turn is the number of the request within its conversation, from 1, and Turns how many that was to have; 0 for a
	// request of none.
	Turn, Turns int
	// CancelReason is empty unless the request cancels a video task.
	CancelReason CancelReason
	// CancelAt is when the video task that the request submits is to be cancelled; empty for one that is not.
	CancelAt string
	// VideoSeconds and VideoResolution are what the video of a submission is to be; 0 and empty where that is left to the service.
	VideoSeconds    int
	VideoResolution string
	// Leave is when the client of a stream is to leave; empty for one that stays.
	Leave string
	// Task is the video task that the request named or created; empty without one.
	Task string
	*httpstream.Result
}

// SinceScheduled turns a time since the request was sent into one since it was due.
func (r *Record) SinceScheduled(sinceSent time.Duration) time.Duration {
	if sinceSent == httpstream.NotMeasured {
		return httpstream.NotMeasured
	}
	return r.Sent.Sub(r.Scheduled) + sinceSent
}
