package route

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/http/httpproxy"
)

// proxyCase is a row of scenarios/testdata/proxies.json.
type proxyCase struct {
	Name  string            `json:"name"`
	Env   map[string]string `json:"env"`
	URL   string            `json:"url"`
	Proxy string            `json:"proxy"`
	User  *struct {
		Name     string `json:"name"`
		Password string `json:"password"`
	} `json:"user"`
	Refused  string `json:"refused"`
	UnlikeGo string `json:"unlikeGo"`
}

// shared are the cases of a file of scenarios/testdata, which Node runs too.
func shared[T any](t *testing.T, name string) (cases []T) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "scenarios", "testdata", name))
	if err == nil {
		err = json.Unmarshal(data, &cases)
	}
	if err != nil || len(cases) == 0 {
		t.Fatalf("%s: %d cases, %v", name, len(cases), err)
	}
	return cases
}

func proxyCases(t *testing.T) []proxyCase {
	cases := shared[proxyCase](t, "proxies.json")
	if len(cases) < 60 {
		t.Fatalf("%d cases", len(cases))
	}
	return cases
}

func (c proxyCase) getenv(name string) string { return c.Env[name] }

// origin is the address of a proxy with its port and without credentials.
func origin(proxy *url.URL) string {
	if proxy == nil {
		return ""
	}
	host := proxy.Host
	if proxy.Port() == "" {
		host += map[string]string{"http": ":80", "https": ":443"}[proxy.Scheme]
	}
	return proxy.Scheme + "://" + host
}

func TestTheProxyOfAnAddressIsThatOfTheEnvironment(t *testing.T) {
	for _, c := range proxyCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			address, err := url.Parse(c.URL)
			if err != nil {
				t.Fatal(err)
			}
			proxy, err := ProxyOf(address, c.getenv)
			if c.Refused != "" {
				want := "cannot use the proxy of the environment variable " + c.Refused + ":"
				if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "pass-0123") {
					t.Errorf("got %v, %v", proxy, err)
				}
				return
			}
			if err != nil || origin(proxy) != c.Proxy {
				t.Fatalf("got %v, %v, want %q", proxy, err, c.Proxy)
			}
			if c.User != nil {
				if password, _ := proxy.User.Password(); proxy.User.Username() != c.User.Name || password != c.User.Password {
					t.Errorf("got %v", proxy.User)
				}
			}
		})
	}
}

func TestTheCasesAreThoseOfHTTPProxy(t *testing.T) {
	for _, c := range proxyCases(t) {
		if c.UnlikeGo != "" {
			continue
		}
		_, http := firstOf(c.getenv, []string{"HTTP_PROXY", "http_proxy"})
		_, https := firstOf(c.getenv, []string{"HTTPS_PROXY", "https_proxy"})
		_, none := firstOf(c.getenv, []string{"NO_PROXY", "no_proxy"})
		rules := httpproxy.Config{HTTPProxy: http, HTTPSProxy: https, NoProxy: none, CGI: c.getenv("REQUEST_METHOD") != ""}
		address, _ := url.Parse(c.URL)
		proxy, err := rules.ProxyFunc()(address)
		if (err != nil) != (c.Refused != "") || origin(proxy) != c.Proxy {
			t.Errorf("%s: httpproxy has %v, %v", c.Name, proxy, err)
		}
	}
}

func TestTheTargetHasTheProxyThatWasTold(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://of-environment:1")
	for line, want := range map[string]string{
		"": "http://of-environment:1", "\n": "http://of-environment:1",
		`{"origin":"http://svc.corp:8080","proxy":"http://a%40b:c%2Fd@told:2"}` + "\n": "http://told:2",
		`{"origin":"http://svc.corp:8080"}` + "\n":                                     "",
	} {
		told, err := Read(bufio.NewReader(strings.NewReader(line)))
		if err != nil {
			t.Fatal(err)
		}
		transport := (&Route{Told: told}).Transport(new(http.Transport))
		for address, want := range map[string]string{"http://svc.corp:8080/v1": want, "http://other/v1": "http://of-environment:1"} {
			request, _ := http.NewRequest(http.MethodGet, address, nil)
			if proxy, err := transport.Proxy(request); err != nil || origin(proxy) != strings.TrimSuffix(want, ":") {
				t.Errorf("%q, %s: got %v, %v", line, address, proxy, err)
			}
		}
	}
	for _, line := range []string{"no JSON\n", `{"proxy":"http://"}` + "\n"} {
		if told, err := Read(bufio.NewReader(strings.NewReader(line))); err == nil {
			t.Errorf("%q was read as %v", line, told)
		}
	}
}

func TestTheSecretsOfProxiesAreTheirCredentials(t *testing.T) {
	environment := map[string]string{"HTTPS_PROXY": "http://user:p%40ss-0123@proxy:8080", "http_proxy": "token-0123@proxy", "ALL_PROXY": "proxy:1", "all_proxy": "a:p@/s@proxy"}
	got := SecretsOfProxies(func(name string) string { return environment[name] })
	if !slices.Equal(got, []string{"token-0123", "p@ss-0123", "p@/s"}) {
		t.Errorf("got %q", got)
	}
}

func TestAResponseOfTheProxyItselfIsRecognised(t *testing.T) {
	for _, c := range shared[struct {
		Name    string            `json:"name"`
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers"`
		Own     bool              `json:"own"`
	}](t, "proxy-responses.json") {
		header := http.Header{}
		for name, value := range c.Headers {
			header.Set(name, value)
		}
		if got := RefusalIn(&http.Response{StatusCode: c.Status, Header: header}); (got != nil) != c.Own {
			t.Errorf("%s: got %v", c.Name, got)
		}
	}
}
