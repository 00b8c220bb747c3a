package module

import (
	"crypto/sha256"
	"fmt"
	"net/http"
)

// session is how requests tell which session they are of, such as a conversation.
type session struct {
	// Header is its name.
	Header string `json:"header"`
	// Key is the same for all processes of a run, and another one in each run.
	Key string `json:"key"`
}

// id is that of a session, by its number: with the version and the variant of a random UUID, since some services
// take no other text.
func (s session) id(number int64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", s.Key, number))
	sum[6] = sum[6]&0x0f | 0x40
	sum[8] = sum[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// addSession adds the session of the arrival under way; what is sent outside of arrivals is of none.
func (e *endpoint) addSession(header http.Header) {
	arrival := e.user.arrival
	if e.options.Session.Header == "" || arrival == nil {
		return
	}
	number := e.user.run.Options().SessionOf(arrival.Index)
	header.Set(e.options.Session.Header, e.options.Session.id(number))
}
