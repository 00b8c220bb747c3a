package route

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Dial opens a connection, as the DialContext of a transport does.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// lifetime is how long the addresses of a name are used before it is looked up again: a load so follows a failover.
const lifetime = 5 * time.Second

// nextAfter is how long an address may take before the next one is tried beside it (RFC 8305, section 5).
const nextAfter = 250 * time.Millisecond

// names are the addresses of names, which all virtual users share. The zero value asks the resolver of this machine.
type names struct {
	mu     sync.Mutex
	known  map[string]found
	fixed  map[string][]netip.Addr // by host and port, set before any is asked for
	lookup func(ctx context.Context, host string) ([]netip.Addr, error)
}

type found struct {
	addresses []netip.Addr
	at        time.Time
}

// of returns the addresses of a host, both families in turn, beginning with the one that the resolver prefers.
func (n *names) of(ctx context.Context, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	known := n.known[host]
	n.mu.Unlock()
	if known.addresses != nil && time.Since(known.at) < lifetime {
		return known.addresses, nil
	}
	lookup := n.lookup
	if lookup == nil {
		lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	addresses, err := lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	addresses = inTurn(addresses)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known == nil {
		n.known = map[string]found{}
	}
	n.known[host] = found{addresses, time.Now()}
	return addresses, nil
}

// stated returns the addresses that were given for a host at a port; nil for none.
func (n *names) stated(host, port string) []netip.Addr {
	if own := n.fixed[net.JoinHostPort(strings.ToLower(host), port)]; own != nil {
		return own
	}
	return n.fixed[net.JoinHostPort("*", port)]
}

// forget has a host looked up again.
func (n *names) forget(host string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.known, host)
}

func inTurn(addresses []netip.Addr) []netip.Addr {
	var first, other []netip.Addr
	for _, address := range addresses {
		address = address.Unmap()
		if len(first) == 0 || address.Is4() == first[0].Is4() {
			first = append(first, address)
		} else {
			other = append(other, address)
		}
	}
	turns := make([]netip.Addr, 0, len(addresses))
	for i := range max(len(first), len(other)) {
		turns = append(turns, first[min(i, len(first)):min(i+1, len(first))]...)
		turns = append(turns, other[min(i, len(other)):min(i+1, len(other))]...)
	}
	return turns
}

// dialer returns a function that opens a connection to one of the addresses of a host: the next one is tried when one fails or
// takes long, and the first connection is taken. Each is opened by dial, which gets an address for the name.
func (n *names) dialer(dial Dial) Dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		if _, err := netip.ParseAddr(host); err == nil {
			return dial(ctx, network, address)
		}
		addresses := n.stated(host, port)
		if addresses == nil {
			if addresses, err = n.of(ctx, host); err != nil {
				return nil, err
			}
		}
		conn, err := race(ctx, addresses, func(ctx context.Context, to netip.Addr) (net.Conn, error) {
			return dial(ctx, network, net.JoinHostPort(to.String(), port))
		})
		if err != nil {
			n.forget(host)
		}
		return conn, err
	}
}

type attempt struct {
	conn net.Conn
	err  error
}

// race returns the first connection to one of the addresses, or why there is none.
func race(ctx context.Context, addresses []netip.Addr, dial func(context.Context, netip.Addr) (net.Conn, error)) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan attempt, len(addresses))
	var failures []error
	for begun, open := 0, 0; ; {
		var next <-chan time.Time
		if begun < len(addresses) {
			next = time.After(nextAfter)
			if open == 0 {
				next = time.After(0)
			}
		} else if open == 0 {
			return nil, cause(failures)
		}
		select {
		case came := <-ended:
			open--
			if came.err == nil {
				go closeRest(ended, open)
				return came.conn, nil
			}
			failures = append(failures, came.err)
		case <-next:
			to := addresses[begun]
			begun, open = begun+1, open+1
			go func() {
				conn, err := dial(ctx, to)
				ended <- attempt{conn, err}
			}()
		}
	}
}

// closeRest closes the connections that came too late.
func closeRest(ended <-chan attempt, open int) {
	for range open {
		if late := <-ended; late.conn != nil {
			_ = late.conn.Close()
		}
	}
}

// cause is the first failure that is not that of a family which this machine lacks.
func cause(failures []error) error {
	if len(failures) == 0 {
		return errors.New("the name has no address")
	}
	for _, failure := range failures {
		if !errors.Is(failure, syscall.ENETUNREACH) && !errors.Is(failure, syscall.EADDRNOTAVAIL) && !errors.Is(failure, syscall.EAFNOSUPPORT) {
			return failure
		}
	}
	return failures[0]
}
