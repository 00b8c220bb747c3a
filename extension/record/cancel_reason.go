package record

// CancelReason is why a video task is cancelled.
type CancelReason string

// The reasons.
const (
	// Asked is an arrival that is one of those that cancel.
	Asked CancelReason = "asked"
	// GivenUp is a task that took too long or could not be polled.
	GivenUp CancelReason = "given_up"
	// CleanUp is the end of the run.
	CleanUp CancelReason = "clean_up"
)

// Known reports whether it is one of the reasons.
func (c CancelReason) Known() bool { return c == Asked || c == GivenUp || c == CleanUp }
