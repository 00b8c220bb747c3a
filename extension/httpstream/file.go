package httpstream

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// mostRedirects is how many redirects of a file are followed.
const mostRedirects = 5

// FileTransport returns a transport for files, whose addresses a target names. It opens connections to public addresses, and to the host
// and port of own. It uses each connection once, and neither a proxy, which would connect in its place, nor a certificate of the client.
func FileTransport(base http.RoundTripper, own *url.URL) *http.Transport {
	transport := &http.Transport{}
	if known, ok := base.(*http.Transport); ok {
		transport = known.Clone()
	}
	transport.Proxy, transport.DialTLSContext, transport.DisableKeepAlives = nil, nil, true
	if config := transport.TLSClientConfig; config != nil {
		config.Certificates, config.GetClientCertificate = nil, nil
	}
	anywhere, public := &net.Dialer{}, &net.Dialer{Control: toPublic}
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == hostAndPort(own) {
			return anywhere.DialContext(ctx, network, address)
		}
		return public.DialContext(ctx, network, address)
	}
	return transport
}

func hostAndPort(address *url.URL) string {
	port := address.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[address.Scheme]
	}
	return net.JoinHostPort(address.Hostname(), port)
}

// toPublic refuses a connection before it is opened, once the name of the host was resolved, so that a name cannot lead elsewhere.
func toPublic(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if kind := notPublic(at.Addr().Unmap().WithZone("")); kind != "" {
		return fmt.Errorf("not fetched, since this is %s", kind)
	}
	return nil
}

// special are addresses that are not public, beside those that netip knows: those of this network, of carriers, of protocols, of
// benchmarks, reserved ones, and IPv6 that contains IPv4.
var special = func() (all []netip.Prefix) {
	for _, text := range strings.Fields("0.0.0.0/8 100.64.0.0/10 192.0.0.0/24 198.18.0.0/15 240.0.0.0/4 " +
		"::/96 64:ff9b::/96 64:ff9b:1::/48 2001::/32 2002::/16 fec0::/10") {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}()

// notPublic says what kind of address it is; empty for a public one.
func notPublic(address netip.Addr) string {
	switch {
	case address.IsLoopback():
		return "a loopback address"
	case address.IsPrivate():
		return "a private address"
	case address.IsLinkLocalUnicast():
		return "a link-local address"
	case !address.IsGlobalUnicast():
		return "no address of a single host"
	}
	for _, prefix := range special {
		if prefix.Contains(address) {
			return "an address of " + prefix.String()
		}
	}
	return ""
}

// fetch sends a request for a file, and follows redirects.
func (c *session) fetch(watch *watch, request *Request, result *Result) (*http.Response, *trace) {
	for redirects := 0; ; redirects++ {
		if to := request.URL; to.Scheme != "http" && to.Scheme != "https" || to.Host == "" {
			result.fail(Contract, "The address is not an absolute http or https address.")
			return nil, &trace{}
		}
		response, t := c.send(watch, request, result)
		if response == nil || redirects == mostRedirects {
			return response, t
		}
		next, err := response.Location()
		if response.StatusCode/100 != 3 || err != nil {
			return response, t
		}
		_ = response.Body.Close()
		following := *request
		following.URL = next
		request = &following
	}
}

// blames reports whether a fault is one of this machine for sure: a target chose the host of a file.
func (r *Request) blames(fault ClientFault) bool {
	return fault != "" && !(r.File && (fault == FaultName || fault == FaultRoute))
}

// discard takes the body of a file.
type discard struct{}

func (discard) read([]byte, time.Duration) {}

// checkFile fails a response that has no content, or is a page.
func checkFile(request *Request, response *http.Response, result *Result) {
	if request.Method == http.MethodHead {
		result.Bytes = max(Unknown, response.ContentLength)
	}
	if kind := response.Header.Get("Content-Type"); strings.HasPrefix(strings.ToLower(kind), "text/html") {
		result.fail(Malformed, "The response is HTML, and no file.")
	}
	if result.Bytes == 0 {
		result.fail(Malformed, "The file is empty.")
	}
}
