//go:build !linux

package health

import "time"

// runDelays are not known here.
func runDelays() map[string]time.Duration { return nil }
