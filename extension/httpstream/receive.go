package httpstream

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// receive reads the body with the reader for its kind, then evaluates it.
func (c *session) receive(watch *watch, request *Request, response *http.Response, t *trace, result *Result) {
	coding := codingOf(response.Header)
	streamed := request.Stream && response.StatusCode == http.StatusOK && coding == ""
	var reader reader
	if streamed {
		c.stream.begin(result, watch, response.Header.Get("Content-Type"))
		c.stream.keepsText, c.stream.leaveAfter = request.Text || request.Marker != "", request.LeaveAfter
		c.stream.arrivals = t.arrivals(response)
		reader = c.stream
	} else {
		c.whole.begin()
		reader = &c.whole
		if request.File {
			reader, result.Date = discard{}, "" // the clock may be that of another host
		}
		c.status(request, response, result)
		if coding != "" {
			result.fail(Malformed, compressed(coding))
		}
	}
	if err := c.drain(response.Body, reader, result); err != nil {
		outcome, detail, ended := watch.verdict()
		if !ended {
			if fault := t.clientFault(err); request.blames(fault) {
				result.failHere(fault, err.Error())
			}
			outcome, detail = bodyFailure(err, t)
		}
		result.fail(outcome, detail)
		if !streamed {
			c.whole.salvageTask(request, result)
		}
	} else if streamed {
		c.stream.evaluate()
		checkMarker(view(c.stream.text), request.Marker, result)
	} else if request.File {
		checkFile(request, response, result)
	} else {
		c.whole.evaluate(request, result)
	}
	if result.Outcome == "" {
		result.Outcome = OK
	}
	if refused := result.Outcome == HTTPError || result.Outcome == RateLimited; refused && len(c.whole.body) > 0 {
		says := bodyInWords(c.whole.body)
		if coding != "" {
			says = compressed(coding)
		}
		result.Detail = shorten(result.Detail+" "+says, maxDetail)
	}
	if streamed {
		c.stream.report()
	}
}

// codingOf is what a response is compressed with; empty when it is not.
func codingOf(header http.Header) string {
	coding := strings.ToLower(strings.TrimSpace(header.Get("Content-Encoding")))
	if coding == "identity" {
		return ""
	}
	return coding
}

// compressed says why a response cannot be read.
func compressed(coding string) string {
	return fmt.Sprintf("The response came compressed (content-encoding %s), although identity was asked for.", excerpt([]byte(coding)))
}

// status checks the status line, which takes precedence over everything else.
func (c *session) status(request *Request, response *http.Response, result *Result) {
	want, sender := request.Status, "The target"
	if request.File {
		sender = "The address"
	}
	if request.Stream {
		want = http.StatusOK
	}
	switch code := response.StatusCode; {
	case code == want:
	case code == http.StatusTooManyRequests:
		result.fail(RateLimited, sender+" returned status 429.")
	case code/100 == 2 && !request.Stream:
		result.fail(Contract, fmt.Sprintf("%s returned status %d, where %d was expected.", sender, code, want))
	default:
		result.fail(HTTPError, fmt.Sprintf("%s returned status %d.", sender, code))
	}
}

// reader takes the bytes of a body as they are received.
type reader interface {
	read(chunk []byte, at time.Duration)
}

// drain reads to the end, so that the connection can be used again, or until the response is too large. Each read is timestamped before it is examined.
func (c *session) drain(body io.Reader, reader reader, result *Result) error {
	for {
		n, err := body.Read(c.buffer)
		at := result.now()
		if n > 0 {
			result.Bytes += int64(n)
			reader.read(c.buffer[:n], at)
			if result.Kept != nil {
				result.Kept.add(c.buffer[:n], at)
			}
		}
		if result.Bytes > maxBody {
			result.tooLarge("The body is longer than %d bytes.", maxBody)
		}
		if result.full {
			err = errTooLarge
		}
		if err != nil {
			result.E2E = at
			if err == io.EOF {
				if result.Kept != nil {
					result.Kept.Whole = true
				}
				return nil
			}
			return err
		}
		if n == len(c.buffer) && n < mostBuffer {
			c.buffer = make([]byte, 2*n)
		}
	}
}
