//go:build !unix

package parentpipe

// ignoreLostOutput does nothing: only Unix has signals for this.
func ignoreLostOutput() {}
