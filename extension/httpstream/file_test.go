package httpstream

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestOnlyPublicAddressesAreFetched(t *testing.T) {
	for _, refused := range strings.Fields("127.0.0.1 127.9.9.9 ::1 ::ffff:127.0.0.1 10.1.2.3 172.16.0.1 172.31.255.255 192.168.0.1 " +
		"169.254.169.254 ::ffff:169.254.169.254 fe80::1 fc00::1 fd00:ec2::254 100.64.0.1 100.127.255.255 0.0.0.0 0.1.2.3 :: " +
		"224.0.0.1 ff02::1 255.255.255.255 240.0.0.1 192.0.0.1 198.18.0.1 64:ff9b::a00:1 2002:7f00:1::1 ::7f00:1 fec0::1") {
		if kind := notPublic(netip.MustParseAddr(refused).Unmap()); kind == "" {
			t.Errorf("%s is taken for a public address", refused)
		}
	}
	for _, public := range strings.Fields("1.1.1.1 100.63.255.255 100.128.0.1 172.32.0.1 169.253.0.1 2606:4700::1111 ::ffff:8.8.8.8") {
		if kind := notPublic(netip.MustParseAddr(public).Unmap()); kind != "" {
			t.Errorf("%s is taken for %s", public, kind)
		}
	}
}

func TestFiles(t *testing.T) {
	body := strings.Repeat("x", 300_000)
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	otherPort := other.URL[strings.LastIndex(other.URL, ":"):]
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "video/mp4")
		switch r.URL.Path {
		case "/video":
			w.Header().Set("Content-Length", fmt.Sprint(len(body)))
			_, _ = w.Write([]byte(body))
		case "/moved":
			http.Redirect(w, r, "/video", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/away":
			http.Redirect(w, r, other.URL, http.StatusFound)
		case "/page":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte("<html>"))
		case "/cut":
			w.Header().Set("Content-Length", "9")
			_, _ = w.Write([]byte("x"))
		case "/empty":
			w.Header().Set("Content-Length", "0")
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer target.Close()
	own, _ := url.Parse(target.URL)
	client := NewClient(Transport(FileTransport(&http.Transport{Proxy: func(*http.Request) (*url.URL, error) {
		return url.Parse(other.URL)
	}}, own), nil, new(Network)))
	for _, tt := range []struct {
		method, address string
		outcome         Outcome
		status          int
		bytes           int64
		detail          string
	}{
		{"GET", target.URL + "/video", OK, 200, int64(len(body)), ""},
		{"HEAD", target.URL + "/video", OK, 200, int64(len(body)), ""},
		{"GET", target.URL + "/moved", OK, 200, int64(len(body)), ""},
		{"GET", target.URL + "/loop", HTTPError, 302, Unknown, "status 302"},
		{"GET", target.URL + "/gone", HTTPError, 404, Unknown, "The address returned status 404"},
		{"GET", target.URL + "/page", Malformed, 200, Unknown, "HTML"},
		{"GET", target.URL + "/empty", Malformed, 200, 0, "empty"},
		{"HEAD", target.URL + "/empty", Malformed, 200, 0, "empty"},
		{"GET", target.URL + "/cut", Truncated, 200, 1, ""},
		{"GET", other.URL, Refused, 0, Unknown, "not fetched, since this is a loopback address"},
		{"GET", "http://localhost" + otherPort, Refused, 0, Unknown, "a loopback address"},
		{"GET", target.URL + "/away", Refused, 0, Unknown, "a loopback address"},
		{"GET", "http://169.254.169.254/latest", Refused, 0, Unknown, "169.254.169.254:80: not fetched, since this is a link-local address"},
		{"GET", "http://[::ffff:10.0.0.1]/", Refused, 0, Unknown, "a private address"},
		{"GET", "http://name.invalid/", Refused, 0, Unknown, "name.invalid"},
		{"GET", "ftp://127.0.0.1/", Contract, 0, Unknown, "not an absolute http or https address"},
		{"GET", "/video", Contract, 0, Unknown, "not an absolute"},
	} {
		t.Run(tt.method+" "+tt.address, func(t *testing.T) {
			address, err := url.Parse(tt.address)
			if err != nil {
				t.Fatal(err)
			}
			r := client.Do(t.Context(), &Request{
				Sent: time.Now(), Method: tt.method, URL: address, Header: http.Header{}, Status: 200, File: true, Items: Unknown,
				Limits: Limits{Timeout: 20 * time.Second},
			})
			if r.Outcome != tt.outcome || r.Status != tt.status || !strings.Contains(r.Detail, tt.detail) {
				t.Errorf("%s, status %d: %q", r.Outcome, r.Status, r.Detail)
			}
			if tt.bytes != Unknown && r.Bytes != tt.bytes {
				t.Errorf("%d bytes, want %d", r.Bytes, tt.bytes)
			}
			if r.E2E == NotMeasured || r.Date != "" {
				t.Errorf("took %v, at %q", r.E2E, r.Date)
			}
		})
	}
	if n := elsewhere.Load(); n > 0 {
		t.Errorf("%d requests reached a loopback address that is not the target's", n)
	}
}
