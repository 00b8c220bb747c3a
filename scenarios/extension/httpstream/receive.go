package httpstream

import (
	"fmt"
	"io"
	"net/http"
	"time"
)

// receive reads the body with the reader that fits, then judges what came.
func (c *Client) receive(watch *watch, request *Request, response *http.Response, result *Result) {
	streamed := request.Stream && response.StatusCode == http.StatusOK
	var reader reader
	if streamed {
		c.stream.begin(result, watch, response.Header.Get("Content-Type"))
		reader = c.stream
	} else {
		c.plain.begin()
		reader = &c.plain
		c.status(request, response, result)
	}
	if err := c.drain(response.Body, reader, result); err != nil {
		outcome, detail, ended := watch.verdict()
		if !ended {
			outcome, detail = bodyFailure(err)
		}
		result.fail(outcome, detail)
	} else if streamed {
		c.stream.judge()
	} else {
		c.plain.judge(request, result)
	}
	if result.Outcome == "" {
		result.Outcome = OK
	}
	if refused := result.Outcome == HTTPError || result.Outcome == RateLimited; refused && len(c.plain.body) > 0 {
		result.Detail = shorten(result.Detail+" "+excerpt(c.plain.body), maxDetail)
	}
	if streamed {
		c.stream.report()
	}
}

// status judges the status line, which comes before all else.
func (c *Client) status(request *Request, response *http.Response, result *Result) {
	want := request.Status
	if request.Stream {
		want = http.StatusOK
	}
	switch code := response.StatusCode; {
	case code == want:
	case code == http.StatusTooManyRequests:
		result.fail(RateLimited, "The target answered with status 429.")
	case code/100 == 2 && !request.Stream:
		result.fail(Contract, fmt.Sprintf("The target answered with status %d, where %d was expected.", code, want))
	default:
		result.fail(HTTPError, fmt.Sprintf("The target answered with status %d.", code))
	}
}

// reader takes the bytes of a body as they come.
type reader interface {
	read(chunk []byte, at time.Duration)
}

// drain reads to the end, so that the connection can be used again. Each read is stamped before anything looks at it.
func (c *Client) drain(body io.Reader, reader reader, result *Result) error {
	for {
		n, err := body.Read(c.buffer)
		at := result.now()
		if n > 0 {
			c.activity.touch()
			result.Bytes += int64(n)
			reader.read(c.buffer[:n], at)
		}
		if err != nil {
			result.E2E = at
			if err == io.EOF {
				return nil
			}
			return err
		}
		if n == len(c.buffer) && n < mostBuffer {
			c.buffer = make([]byte, 2*n)
		}
	}
}
