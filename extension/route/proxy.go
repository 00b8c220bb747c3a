// Package route decides how requests reach an address: through which proxy, with which certificates, and where its name leads.
package route

import (
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// variables are those that name proxies, by the scheme of the requests.
var variables = map[string][]string{
	"http":  {"HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"},
	"https": {"HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"},
}

// ProxyOf returns the proxy of the environment for requests to an address, nil for none. The rules are those of [httpproxy], with
// ALL_PROXY where neither of the others is set, and an error that names the variable, and nothing of its value, where that is not
// the address of an HTTP proxy. route/proxy-rules.ts has the same.
func ProxyOf(address *url.URL, getenv func(string) string) (*url.URL, error) {
	variable, value := firstOf(getenv, variables[address.Scheme])
	if value == "" {
		return nil, nil
	}
	_, none := firstOf(getenv, []string{"NO_PROXY", "no_proxy"})
	// Any proxy shows whether one is used.
	const any = "http://proxy"
	rules := httpproxy.Config{HTTPProxy: any, HTTPSProxy: any, NoProxy: none, CGI: getenv("REQUEST_METHOD") != ""}
	canonical := *address
	canonical.Host = strings.ToLower(address.Host)
	used, err := rules.ProxyFunc()(&canonical)
	if err != nil {
		return nil, unusable(variable, "REQUEST_METHOD is set, and in a CGI program a client chooses that variable")
	}
	if used == nil {
		return nil, nil
	}
	return readProxy(variable, value)
}

func readProxy(variable, value string) (*url.URL, error) {
	proxy := parseAddress(value)
	switch {
	case proxy == nil:
		return nil, unusable(variable, "its value is not the address of a proxy")
	case strings.HasPrefix(proxy.Scheme, "socks"):
		return nil, unusable(variable, "it names a SOCKS proxy, and Assay uses HTTP proxies")
	case proxy.Scheme != "http" && proxy.Scheme != "https":
		return nil, unusable(variable, "its value is not the address of an HTTP proxy")
	}
	return proxy, nil
}

func unusable(variable, reason string) error {
	return &Refusal{fmt.Sprintf("cannot use the proxy of the environment variable %s: %s; write it as http://HOST:PORT, or exclude "+
		"the target with NO_PROXY", variable, reason)}
}

// firstOf returns the first variable that is set, and its value.
func firstOf(getenv func(string) string, names []string) (name, value string) {
	for _, name = range names {
		if value = getenv(name); value != "" {
			return name, value
		}
	}
	return "", ""
}

// SecretsOfProxies lists the credentials in the addresses of proxies, from the variables that all clients read.
func SecretsOfProxies(getenv func(string) string) []string {
	var secrets []string
	for _, name := range []string{"http_proxy", "https_proxy", "all_proxy"} {
		for _, address := range []string{getenv(name), getenv(strings.ToUpper(name))} {
			if proxy := parseAddress(address); proxy != nil && proxy.User != nil {
				secrets = append(secrets, secretOf(proxy.User))
			}
		}
	}
	return secrets
}

// secretOf is the password of a user, or the only name.
func secretOf(user *url.Userinfo) string {
	if password, _ := user.Password(); password != "" {
		return password
	}
	return user.Username()
}
