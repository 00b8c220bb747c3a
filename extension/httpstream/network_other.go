//go:build !linux

package httpstream

// askTCP is not known here.
func (w *watched) askTCP(uintptr) {}
