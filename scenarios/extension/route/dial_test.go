package route

import (
	"context"
	"errors"
	"net"
	"net/netip"
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

func TestStatedAddressesAreTakenInPlaceOfThoseOfTheResolver(t *testing.T) {
	route := new(Route)
	if err := route.Resolve([]string{"Svc.test:443:10.0.0.1", "svc.test:443:2001:db8::1", "*:80:10.0.0.2"}); err != nil {
		t.Fatal(err)
	}
	route.names.lookup = func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("10.0.0.9")}, nil
	}
	for address, want := range map[string]string{
		"svc.test:443": "10.0.0.1:443 [2001:db8::1]:443", "SVC.TEST:443": "10.0.0.1:443 [2001:db8::1]:443",
		"svc.test:80": "10.0.0.2:80", "svc.test:444": "10.0.0.9:444", "other:443": "10.0.0.9:443", "10.0.0.8:80": "10.0.0.8:80",
	} {
		var tried []string
		dial := route.names.dialer(func(_ context.Context, _, to string) (net.Conn, error) {
			tried = append(tried, to)
			return nil, failing(syscall.ECONNREFUSED)
		})
		if _, err := dial(t.Context(), "tcp", address); err == nil || strings.Join(tried, " ") != want {
			t.Errorf("%s: tried %q, want %q", address, tried, want)
		}
	}
	for _, entry := range []string{"svc.test:443", "svc.test:443:name"} {
		if err := new(Route).Resolve([]string{entry}); err == nil {
			t.Errorf("%s was accepted", entry)
		}
	}
}
