package route

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// failing is what a dial returns for an address with this error.
func failing(number syscall.Errno) error {
	return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", number)}
}

var errSilent = errors.New("no answer") // of an address that does not respond

// namesOf is a resolver whose only name leads to these addresses.
func namesOf(texts *[]string, asked *int) *names {
	return &names{lookup: func(context.Context, string) (addresses []netip.Addr, err error) {
		*asked++
		for _, text := range *texts {
			addresses = append(addresses, netip.MustParseAddr(text))
		}
		return addresses, nil
	}}
}

func TestTheNextAddressIsTriedWhenOneFailsOrTakesLong(t *testing.T) {
	refused, none := failing(syscall.ECONNREFUSED), failing(syscall.ENETUNREACH)
	for name, tt := range map[string]struct {
		addresses string
		failures  map[string]error
		tried     string
		after     time.Duration
		err       error
	}{
		"the first":              {"10.0.0.1 10.0.0.2", nil, "10.0.0.1", 0, nil},
		"one that refuses":       {"10.0.0.1 10.0.0.2", map[string]error{"10.0.0.1": refused}, "10.0.0.1 10.0.0.2", 0, nil},
		"one that is silent":     {"10.0.0.1 10.0.0.2", map[string]error{"10.0.0.1": errSilent}, "10.0.0.1 10.0.0.2", nextAfter, nil},
		"families take turns":    {"2001:db8::1 2001:db8::2 10.0.0.1", map[string]error{"2001:db8::1": none}, "2001:db8::1 10.0.0.1", 0, nil},
		"none that can be used":  {"2001:db8::1 10.0.0.1", map[string]error{"2001:db8::1": none, "10.0.0.1": refused}, "2001:db8::1 10.0.0.1", 0, refused},
		"an address as the host": {"", map[string]error{"192.0.2.1": refused}, "192.0.2.1", 0, refused},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				addresses, asked := strings.Fields(tt.addresses), 0
				host := "svc.test"
				if len(addresses) == 0 {
					host = "192.0.2.1"
				}
				tried := make(chan string, 9)
				dial := namesOf(&addresses, &asked).dialer(func(ctx context.Context, _, address string) (net.Conn, error) {
					to, _, _ := net.SplitHostPort(address)
					tried <- to
					if err := tt.failures[to]; err != errSilent {
						here, _ := net.Pipe()
						return here, err
					}
					<-ctx.Done()
					return nil, ctx.Err()
				})
				start := time.Now()
				_, err := dial(context.Background(), "tcp", net.JoinHostPort(host, "80"))
				if after := time.Since(start); after != tt.after || err != tt.err {
					t.Errorf("%v after %v, want %v after %v", err, after, tt.err, tt.after)
				}
				close(tried)
				var all []string
				for each := range tried {
					all = append(all, each)
				}
				if !slices.Equal(all, strings.Fields(tt.tried)) {
					t.Errorf("tried %q, want %q", all, tt.tried)
				}
				synctest.Wait()
			})
		})
	}
}

func TestANameIsLookedUpAgainAfterItsLifetimeAndWhenNoAddressResponds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		addresses, asked := []string{"10.0.0.1"}, 0
		var last string
		dial := namesOf(&addresses, &asked).dialer(func(_ context.Context, _, address string) (net.Conn, error) {
			last = address
			if address == "10.0.0.3:80" {
				return nil, failing(syscall.ECONNREFUSED)
			}
			here, _ := net.Pipe()
			return here, nil
		})
		for step, want := range []struct {
			address, last string
			wait          time.Duration
			asked         int
		}{
			{"10.0.0.1", "10.0.0.1:80", 0, 1}, {"10.0.0.2", "10.0.0.1:80", lifetime - 1, 1}, {"10.0.0.3", "10.0.0.3:80", 1, 2},
			{"10.0.0.4", "10.0.0.4:80", 0, 3},
		} {
			addresses = []string{want.address}
			time.Sleep(want.wait)
			_, _ = dial(context.Background(), "tcp", "svc.test:80")
			if last != want.last || asked != want.asked {
				t.Errorf("step %d: %s, asked %d times, want %s, %d", step, last, asked, want.last, want.asked)
			}
		}
	})
}

func TestStatedAddressesAreTakenInPlaceOfThoseOfTheResolverAsInNode(t *testing.T) {
	for _, row := range shared[struct {
		Name, URL          string
		Resolve, Addresses []string
	}](t, "names.json") {
		route := new(Route)
		if err := route.Resolve(row.Resolve); err != nil {
			t.Fatal(err)
		}
		unstated := []string{"10.1.1.1"}
		route.names.lookup = namesOf(&unstated, new(int)).lookup
		var tried []string
		address, _ := url.Parse(row.URL)
		port := cmp.Or(address.Port(), map[string]string{"http": "80", "https": "443"}[address.Scheme])
		dial := route.names.dialer(func(_ context.Context, _, to string) (net.Conn, error) {
			host, at, _ := net.SplitHostPort(to)
			if tried = append(tried, host); at != port {
				t.Errorf("%s: tried %s", row.Name, to)
			}
			return nil, failing(syscall.ECONNREFUSED)
		})
		_, _ = dial(t.Context(), "tcp", net.JoinHostPort(address.Hostname(), port))
		want := row.Addresses
		if _, err := netip.ParseAddr(address.Hostname()); err == nil {
			want = []string{address.Hostname()}
		} else if len(want) == 0 {
			want = unstated
		}
		if !slices.Equal(tried, want) {
			t.Errorf("%s: tried %q, want %q", row.Name, tried, want)
		}
	}
	for _, entry := range []string{"svc.test:443", "svc.test:443:name"} {
		if err := new(Route).Resolve([]string{entry}); err == nil {
			t.Errorf("%s was accepted", entry)
		}
	}
}
