package httpstream

import (
	"fmt"
	"strings"
)

// Every marker of a prompt begins with markerHead, which markerDigits hexadecimal digits follow; lib/marker.ts makes them.
const (
	markerHead   = "assay-"
	markerDigits = 8
)

// checkMarker fails a response that contains the marker of another request: the target mixed responses up.
func checkMarker(text, own string, result *Result) {
	if own == "" || result.Outcome != "" {
		return
	}
	for _, part := range strings.Split(text, markerHead)[1:] {
		if len(part) < markerDigits || strings.Trim(part[:markerDigits], "0123456789abcdef") != "" {
			continue
		}
		if other := markerHead + part[:markerDigits]; other != own {
			result.fail(Contract, fmt.Sprintf("The response contains %s, the marker of another request; its own is %s.", other, own))
			return
		}
	}
}
