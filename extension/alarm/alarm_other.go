//go:build !linux

package alarm

// New returns the most exact Alarm of this system.
func New() Alarm { return NewTimer() }
