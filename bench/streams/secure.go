package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"time"
)

// How the server can be reached.
const (
	plainHTTP   = "http"
	secureHTTP1 = "https"
	secureHTTP2 = "h2"
)

// alpn are the names of the protocols over TLS.
var alpn = map[string]string{secureHTTP1: "http/1.1", secureHTTP2: "h2"}

// listen listens on a free port, with a certificate that nobody signed where the protocol is over TLS.
func listen(protocol string) (net.Listener, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("cannot listen: %w", err)
	}
	if protocol == plainHTTP {
		return listener, nil
	}
	name, known := alpn[protocol]
	if !known {
		return nil, fmt.Errorf("cannot serve %q: the protocols are http, https and h2", protocol)
	}
	own, err := certificate()
	if err != nil {
		return nil, fmt.Errorf("cannot make a certificate: %w", err)
	}
	return tls.NewListener(listener, &tls.Config{
		MinVersion: tls.VersionTLS13, NextProtos: []string{name}, Certificates: []tls.Certificate{own},
	}), nil
}

func certificate() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(24 * time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key}, nil
}

// serveHTTP2 responds as serveConnection does. The framing is that of net/http, and each stream waits for its own chunks.
func serveHTTP2(listener net.Listener, p plan, rows *ledger) {
	// It ends with the process.
	_ = http.Serve(listener, http.HandlerFunc(func(out http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		r := row{id: request.Header.Get("X-Request-Id"), arrived: time.Now()}
		defer func() { rows.add(r) }()
		if !isStream(body) {
			out.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(out, response(request, body)) // a client that left needs nothing
			return
		}
		out.Header().Set("Content-Type", "text/event-stream")
		flush := http.NewResponseController(out).Flush
		if flush() != nil {
			return
		}
		r.plan = p
		for token := range p.tokens {
			time.Sleep(time.Until(r.arrived.Add(p.due(token))))
			text := tokenEvent
			if token == p.tokens-1 {
				text += eventsAtEnd(p.tokens, asksForUsage(body))
			}
			r.actual = append(r.actual, time.Since(r.arrived))
			if _, err := io.WriteString(out, text); err != nil || flush() != nil {
				return
			}
		}
	}))
}
