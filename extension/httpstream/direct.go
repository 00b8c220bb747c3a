package httpstream

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/net/http/httpguts"
)

// direct is the connection of a client to a plain HTTP/1.1 target. The goroutine of the request writes to it and reads from
// it, whereas net/http has two goroutines per connection, and hands each request and each read of a response from one to
// another. The framing of responses is that of net/http, which also keeps all that is unusual: TLS, HTTP/2, proxies.
type direct struct {
	transport *http.Transport
	address   *url.URL // of the last request
	usable    bool     // for that address

	conn   net.Conn // nil without one
	host   string   // that it leads to
	begun  time.Time
	reader *bufio.Reader
	head   int64 // bytes that the head of a response may still have
	ended  func() bool
	body   directBody
	sent   chan error // the end of a write beside the reading of the response; nil without one
}

// readerSize is what is read at once, in bytes.
const readerSize = 4 << 10

// mostAtOnce is the largest request that is written before its response is read: what a socket takes without a peer that reads.
const mostAtOnce = 32 << 10

// patienceToWrite is how long a connection waits for the rest of a long request once its response is over.
const patienceToWrite = 50 * time.Millisecond

var errHeaderTooLong = errors.New("the headers of the response are too long")

// newDirect returns nil for a transport that may do something else with a request than net/http.
func newDirect(transport http.RoundTripper) *direct {
	own := ownTransport(transport)
	if own == nil || own.DialContext == nil || own.DisableKeepAlives || own.Protocols != nil {
		return nil
	}
	return &direct{transport: own}
}

// takes reports whether a request can go over a connection of its own.
func (d *direct) takes(request *Request) bool {
	if d == nil || !validHeader(request.Header) {
		return false
	}
	if d.address != request.URL {
		d.address, d.usable = request.URL, d.leadsTo(request)
	}
	return d.usable
}

func (d *direct) leadsTo(request *Request) bool {
	if request.URL.Scheme != "http" || !plainHost(request.URL.Host) {
		return false
	}
	if d.transport.Proxy == nil {
		return true
	}
	proxy, err := d.transport.Proxy(request.build(context.Background()))
	return proxy == nil && err == nil
}

// plainHost reports whether a host is sent as it is written: others have zones, or characters to encode.
func plainHost(host string) bool {
	for _, c := range []byte(host) {
		if c <= ' ' || c >= 0x7f || c == '%' || c == '@' {
			return false
		}
	}
	return host != ""
}

func validHeader(header http.Header) bool {
	for name, values := range header {
		if !httpguts.ValidHeaderFieldName(name) {
			return false
		}
		for _, value := range values {
			if !httpguts.ValidHeaderFieldValue(value) {
				return false
			}
		}
	}
	return true
}

// roundTrip sends a request and returns the response once its head is complete. Its body has to be closed.
func (d *direct) roundTrip(watch *watch, request *Request, t *trace) (*http.Response, error) {
	if err := d.connect(watch.ctx, request.URL, t); err != nil {
		return nil, err
	}
	d.ended = context.AfterFunc(watch.ctx, watch.closeConnection)
	failed := d.write(request)
	response, err := d.readHead(t)
	if err != nil {
		d.release(false)
		if failed != nil {
			err = failed
		}
		return nil, err
	}
	d.body = directBody{of: d, body: response.Body, reusable: !response.Close && failed == nil && response.StatusCode != http.StatusSwitchingProtocols}
	response.Body = &d.body
	return response, nil
}

// connect makes sure that there is a connection to the host.
func (d *direct) connect(ctx context.Context, address *url.URL, t *trace) error {
	reused := d.conn != nil && d.host == address.Host && d.fresh()
	if !reused {
		d.drop()
		conn, err := d.dial(httptrace.WithClientTrace(ctx, t.hooks()), address)
		if err != nil {
			return err
		}
		d.conn, d.host = conn, address.Host
		if d.reader == nil {
			d.reader = bufio.NewReaderSize(d, readerSize)
		}
		d.reader.Reset(d)
	}
	t.got(d.conn, reused)
	return nil
}

// fresh reports whether the connection can be used once more.
func (d *direct) fresh() bool {
	if limit := d.transport.IdleConnTimeout; limit > 0 && time.Since(d.begun) > limit {
		return false
	}
	return isSilent(d.conn)
}

// dial opens a connection. It returns at the end of ctx, also where a resolver does not.
func (d *direct) dial(ctx context.Context, address *url.URL) (net.Conn, error) {
	type dialed struct {
		conn net.Conn
		err  error
	}
	port := address.Port()
	if port == "" {
		port = "80"
	}
	result := make(chan dialed, 1)
	go func() {
		conn, err := d.transport.DialContext(ctx, "tcp", net.JoinHostPort(address.Hostname(), port))
		result <- dialed{conn, err}
	}()
	select {
	case got := <-result:
		return got.conn, got.err
	case <-ctx.Done():
		go func() {
			if late := <-result; late.conn != nil {
				_ = late.conn.Close()
			}
		}()
		return nil, context.Cause(ctx)
	}
}

// Read implements [io.Reader] for the reader of the connection.
func (d *direct) Read(buffer []byte) (int, error) {
	if d.head <= 0 {
		return 0, errHeaderTooLong
	}
	n, err := d.conn.Read(buffer[:min(int64(len(buffer)), d.head)])
	d.head -= int64(n)
	return n, err
}

// requests are buffers for requests that are written at once.
var requests = sync.Pool{New: func() any { return new([]byte) }}

// write sends a request, a long one beside the reading of the response: a target may respond before it has read all.
func (d *direct) write(request *Request) error {
	d.sent = nil
	if len(request.Body) > mostAtOnce {
		conn, head, sent := d.conn, appendHead(nil, request), make(chan error, 1)
		d.sent = sent
		go func() {
			_, err := conn.Write(head)
			if err == nil {
				_, err = conn.Write(request.Body)
			}
			sent <- err
		}()
		return nil
	}
	buffer, _ := requests.Get().(*[]byte)
	*buffer = append(appendHead((*buffer)[:0], request), request.Body...)
	_, err := d.conn.Write(*buffer)
	requests.Put(buffer)
	return err
}

// appendHead writes a head like that of net/http, which has the names of headers in order.
func appendHead(out []byte, request *Request) []byte {
	out = append(append(append(out, request.Method...), ' '), request.URL.RequestURI()...)
	out = appendLine(append(out, " HTTP/1.1\r\n"...), "Host", request.URL.Host)
	agent := "Go-http-client/1.1"
	if own := request.Header["User-Agent"]; len(own) > 0 {
		agent = own[0]
	}
	if agent != "" {
		out = appendLine(out, "User-Agent", agent)
	}
	if request.Body != nil || request.Method == http.MethodPost {
		out = strconv.AppendInt(append(out, "Content-Length: "...), int64(len(request.Body)), 10)
		out = append(out, "\r\n"...)
	}
	var few [16]string
	names := few[:0]
	for name := range request.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		switch name {
		case "Host", "User-Agent", "Content-Length", "Transfer-Encoding", "Trailer":
			continue // they are those of the request
		}
		for _, value := range request.Header[name] {
			out = appendLine(out, name, value)
		}
	}
	return append(out, "\r\n"...)
}

func appendLine(out []byte, name, value string) []byte {
	return append(append(append(append(out, name...), ": "...), value...), "\r\n"...)
}

// readHead reads the head of the response, and of the interim ones before it.
func (d *direct) readHead(t *trace) (*http.Response, error) {
	for {
		d.head = maxHeader
		if _, err := d.reader.Peek(1); err != nil {
			return nil, err
		}
		t.answered.Store(true)
		response, err := http.ReadResponse(d.reader, nil)
		if err != nil {
			if d.head <= 0 {
				err = errHeaderTooLong
			}
			return nil, err
		}
		if response.StatusCode >= http.StatusOK || response.StatusCode == http.StatusSwitchingProtocols {
			d.head = math.MaxInt64
			return response, nil
		}
	}
}

// release ends a request, and keeps the connection if it may be used again.
func (d *direct) release(reusable bool) {
	reusable = d.ended() && reusable && d.reader.Buffered() == 0
	if d.sent != nil {
		select {
		case err := <-d.sent:
			reusable = reusable && err == nil
		case <-time.After(patienceToWrite):
			reusable = false
		}
	}
	if !reusable {
		d.drop()
	}
	d.begun = time.Now()
}

// drop closes the connection.
func (d *direct) drop() {
	if d == nil || d.conn == nil {
		return
	}
	_ = d.conn.Close()
	d.conn = nil
}

// directBody is the body of a response over a direct connection.
type directBody struct {
	of       *direct
	body     io.Reader
	reusable bool
	whole    bool
	closed   bool
}

func (b *directBody) Read(buffer []byte) (int, error) {
	n, err := b.body.Read(buffer)
	b.whole = b.whole || err == io.EOF
	return n, err
}

// Close does not read the rest of a body, which may have no end.
func (b *directBody) Close() error {
	if !b.closed {
		b.closed = true
		b.of.release(b.reusable && b.whole)
	}
	return nil
}
