package httpstream

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
)

// sendFailure returns the outcome of a request without a response.
func sendFailure(err error, t *trace, clearText bool) (Outcome, string) {
	switch {
	case !t.connected() && t.handshaking():
		return handshakeFailure(err)
	case !t.connected() && isReset(err):
		return Reset, "The connection was reset while it was opened: " + err.Error()
	case !t.connected():
		return Refused, "The connection failed: " + err.Error()
	case isTLS(err):
		return TLS, "The TLS connection failed: " + err.Error()
	case isHeaderTooLarge(err):
		return TooLarge, fmt.Sprintf("The headers are longer than %d bytes.", maxHeader)
	case t.reset() || isReset(err):
		return Reset, "The connection was reset before the headers of a response were complete: " + err.Error()
	case clearText && t.notHTTP():
		return Malformed, "The bytes received are not HTTP: " + err.Error()
	case isEnd(err) || t.ended():
		return Truncated, "The connection was closed before the response was complete: " + err.Error()
	default:
		return Malformed, "The response is not HTTP: " + err.Error()
	}
}

func handshakeFailure(err error) (Outcome, string) {
	switch {
	case isReset(err):
		return Reset, "The connection was reset in the TLS handshake: " + err.Error()
	case isEnd(err):
		return Truncated, "The connection was closed in the TLS handshake: " + err.Error()
	default:
		return TLS, "The TLS handshake failed: " + err.Error()
	}
}

// bodyFailure returns the outcome of a response whose body ended early.
func bodyFailure(err error, t *trace) (Outcome, string) {
	switch {
	case t.reset() || isReset(err):
		return Reset, "The connection was reset within the response: " + err.Error()
	case isTLS(err):
		return TLS, "The TLS connection broke within the response: " + err.Error()
	default:
		return Truncated, "The response ended early: " + err.Error()
	}
}

func isReset(err error) bool {
	if errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNABORTED) {
		return true
	}
	text := err.Error()
	return strings.Contains(text, "forcibly closed") || isStreamReset(text)
}

// isStreamReset recognises an HTTP/2 RST_STREAM; net/http does not export its error type.
func isStreamReset(text string) bool {
	return strings.Contains(text, "stream error: ") && strings.Contains(text, "received from peer")
}

// isHeaderTooLarge recognises what net/http says of headers beyond its limit: it does not export the errors.
func isHeaderTooLarge(err error) bool {
	if errors.Is(err, errHeaderTooLong) {
		return true
	}
	text := err.Error()
	return strings.Contains(text, "server response headers exceeded") || strings.Contains(text, "response header list larger than")
}

// isEnd reports whether err says that the connection was closed. net.ErrClosed does: net/http closes a connection as soon as
// it has read its end, also between two writes of a request.
func isEnd(err error) bool {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) {
		return true
	}
	text := err.Error()
	for _, ending := range []string{
		"server closed idle connection", "GOAWAY", "client connection lost", "client connection force closed",
		"client conn not usable", "connection error: ", "after connection loss",
	} {
		if strings.Contains(text, ending) {
			return true
		}
	}
	return false
}

func isTLS(err error) bool {
	var (
		alert     tls.AlertError
		record    tls.RecordHeaderError
		verify    *tls.CertificateVerificationError
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
	)
	return errors.As(err, &alert) || errors.As(err, &record) || errors.As(err, &verify) ||
		errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid) ||
		strings.Contains(err.Error(), "tls: ")
}
