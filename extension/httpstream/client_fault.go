package httpstream

import (
	"errors"
	"net"
	"strings"
	"syscall"

	"assay.dev/k6/route"
)

// ClientFault is what this machine lacked when a request failed without fault of the target.
type ClientFault string

// The faults, as in formats/outcomes.ts.
const (
	FaultOpenFiles   ClientFault = "open_files"
	FaultSourcePorts ClientFault = "source_ports"
	FaultMemory      ClientFault = "memory"
	FaultName        ClientFault = "name_resolution"
	FaultRoute       ClientFault = "route"
	FaultProxy       ClientFault = "proxy"
)

// faultTexts say what happened; the error follows.
var faultTexts = map[ClientFault]string{
	FaultOpenFiles:   "This machine could not open another file or socket: ",
	FaultSourcePorts: "This machine had no free source port for the connection: ",
	FaultMemory:      "This machine had no memory for the connection: ",
	FaultName:        "This machine could not resolve the name of the host: ",
	FaultRoute:       "This machine had no route to the target, or a router on the way has none: ",
	FaultProxy:       "The proxy did not pass the request on: ",
}

// faultNumbers are the error numbers of each fault. What the target, or its machine, sends is not among them: a connection
// that is refused, reset or times out.
var faultNumbers = map[syscall.Errno]ClientFault{
	syscall.EMFILE: FaultOpenFiles, syscall.ENFILE: FaultOpenFiles,
	syscall.EADDRNOTAVAIL: FaultSourcePorts, syscall.EADDRINUSE: FaultSourcePorts,
	syscall.ENOBUFS: FaultMemory, syscall.ENOMEM: FaultMemory,
	syscall.ENETUNREACH: FaultRoute, syscall.EHOSTUNREACH: FaultRoute, syscall.ENETDOWN: FaultRoute,
	syscall.EAFNOSUPPORT: FaultRoute,
}

// connectNumbers are further ones of a connection that could not be opened: routes that prohibit or drop it, and local
// firewalls.
var connectNumbers = map[syscall.Errno]ClientFault{
	syscall.EACCES: FaultRoute, syscall.EPERM: FaultRoute, syscall.EINVAL: FaultRoute,
}

// clientFault returns what this machine lacked; empty when err is not of its making.
func clientFault(err error, connected bool) ClientFault {
	var refusal *route.Refusal
	if errors.As(err, &refusal) {
		return FaultProxy
	}
	if isLookup(err) {
		// The resolver needs a socket too, and reports its own error as text.
		if strings.Contains(err.Error(), syscall.EMFILE.Error()) || strings.Contains(err.Error(), syscall.ENFILE.Error()) {
			return FaultOpenFiles
		}
		return FaultName
	}
	var number syscall.Errno
	if errors.As(err, &number) {
		if fault := faultNumbers[number]; fault != "" || connected {
			return fault
		}
		if fault := connectNumbers[number]; fault != "" {
			return fault
		}
	}
	var to *net.OpError
	if errors.As(err, &to) && to.Op == "proxyconnect" {
		return FaultProxy
	}
	return ""
}

// isLookup recognises a name that was not resolved; k6 reports some without a type.
func isLookup(err error) bool {
	var lookup *net.DNSError
	return errors.As(err, &lookup) || strings.HasPrefix(err.Error(), "lookup ")
}

// failHere sets the outcome to a fault of this machine.
func (r *Result) failHere(fault ClientFault, reason string) {
	if r.Outcome == "" {
		r.Fault = fault
		r.fail(ClientError, faultTexts[fault]+reason)
	}
}
