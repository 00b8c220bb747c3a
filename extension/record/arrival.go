package record

import "time"

// ArrivalEnd is how an arrival ended whose requests do not tell it.
type ArrivalEnd string

// The ends of arrivals.
const (
	// NotStarted found no free slot before the end.
	NotStarted ArrivalEnd = "not_started"
	// Threw is an exception of the scenario.
	Threw ArrivalEnd = "threw"
	// NoRequest is a scenario that came to its end without a request.
	NoRequest ArrivalEnd = "no_request"
	// Unfinished is an end of the run in the middle of the arrival.
	Unfinished ArrivalEnd = "unfinished"
)

// Arrival is the line of an arrival whose requests do not tell how it ended.
type Arrival struct {
	// Index is its number within the whole run, as in the records of its requests.
	Index int64
	Phase string
	// Scheduled is when it was due; in a closed loop, when it started.
	Scheduled time.Time
	End       ArrivalEnd
	// Detail is what the scenario threw.
	Detail string
}

// Append appends the arrival as one JSON line.
func (a Arrival) Append(buffer []byte) []byte {
	e := encoder{append(buffer, `{"arrival":{`...)}
	e.count("index", int(a.Index), -1)
	e.text("phase", a.Phase)
	e.instant("scheduled", a.Scheduled)
	e.text("end", string(a.End))
	e.text("detail", a.Detail)
	return append(e.out, "}}\n"...)
}
