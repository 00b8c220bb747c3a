package route

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"strings"
)

// Route is how requests reach their addresses. Its zero value follows the environment.
type Route struct {
	// Told is what Assay tells the k6 that it starts; nil for a k6 of somebody else.
	Told *Told
	// Client is the certificate for a target that asks for one; nil for none.
	Client *tls.Certificate

	names names
}

// Transport returns a copy of a transport that takes the route.
func (r *Route) Transport(base *http.Transport) *http.Transport {
	transport := base.Clone()
	transport.Proxy = r.proxy
	if r.Client != nil {
		if transport.TLSClientConfig == nil {
			transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
		}
		transport.TLSClientConfig.Certificates = []tls.Certificate{*r.Client}
	}
	dial := base.DialContext
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	transport.DialContext = r.names.dialer(dial)
	transport.OnProxyConnectResponse = func(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
		if response.StatusCode != http.StatusOK {
			return refusalOf(response)
		}
		return nil
	}
	return transport
}

// Resolve sets addresses in place of those that the resolver knows, as HOST:PORT:ADDR; a host of * is any.
func (r *Route) Resolve(entries []string) error {
	for _, entry := range entries {
		parts := strings.SplitN(entry, ":", 3)
		if len(parts) != 3 {
			return fmt.Errorf("cannot connect by %q: write HOST:PORT:ADDR", entry)
		}
		address, err := netip.ParseAddr(parts[2])
		if err != nil {
			return fmt.Errorf("cannot connect by %q: %w", entry, err)
		}
		if r.names.fixed == nil {
			r.names.fixed = map[string][]netip.Addr{}
		}
		key := net.JoinHostPort(strings.ToLower(parts[0]), parts[1])
		r.names.fixed[key] = append(r.names.fixed[key], address)
	}
	return nil
}

// proxy finds the proxy of a request. The target's is the one that this process was told; requests of scripts to other addresses
// find their own.
func (r *Route) proxy(request *http.Request) (*url.URL, error) {
	if told := r.Told; told != nil && told.Origin == request.URL.Scheme+"://"+request.URL.Host {
		return told.proxy, nil
	}
	return ProxyOf(request.URL, os.Getenv)
}

// Refusal is why a request was not passed on to its address: the response of a proxy, or a variable that names none.
type Refusal struct{ reason string }

func (r *Refusal) Error() string { return r.reason }

func refusalOf(response *http.Response) error {
	return &Refusal{"it returned status " + response.Status}
}

// proxies are the names by which proxies tell that a response is their own.
var proxies = regexp.MustCompile(`(?i)^(?:squid|tinyproxy|privoxy|mitmproxy|zscaler)\b`)

var errorOfProxy = regexp.MustCompile(`(?i);\s*error=`)

// RefusalIn returns the refusal in a response that came by way of a proxy; nil for a response that may be that of the target.
// route/proxy-response.ts has the same rule.
func RefusalIn(response *http.Response) error {
	header := response.Header
	own := response.StatusCode == http.StatusProxyAuthRequired || response.StatusCode >= http.StatusBadRequest &&
		(header.Get("X-Squid-Error") != "" || header.Get("Proxy-Agent") != "" || proxies.MatchString(header.Get("Server")) ||
			errorOfProxy.MatchString(header.Get("Proxy-Status")))
	if !own {
		return nil
	}
	return refusalOf(response)
}
