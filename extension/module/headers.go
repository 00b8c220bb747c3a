package module

import (
	"maps"
	"net/http"
)

// requestIDHeader tells the id of a request to the target.
const requestIDHeader = "X-Request-Id"

// headerOf are the headers of a script.
func headerOf(given map[string]string) http.Header {
	header := make(http.Header, len(given)+2)
	for name, value := range given {
		header.Set(name, value)
	}
	return header
}

// addDefaults adds to the headers of an endpoint what Assay sends in all its requests, unless the user replaces it.
// contract/own-headers.ts has the same list, and scenarios/testdata/own-headers.json holds both to each other.
func addDefaults(header http.Header, accept string) {
	if header.Get("Accept") == "" {
		header.Set("Accept", accept)
	}
	// Compression would hide when chunks came and cost time on both sides.
	if header.Get("Accept-Encoding") == "" {
		header.Set("Accept-Encoding", "identity")
	}
}

// requestHeaders are those of one request, with room for what else it has. The agent is that of Assay; without names what is left out.
func requestHeaders(endpoint http.Header, id, agent string, without []string) http.Header {
	header := make(http.Header, len(endpoint)+4)
	maps.Copy(header, endpoint)
	header[requestIDHeader] = []string{id}
	if agent != "" && header[userAgent] == nil {
		header[userAgent] = []string{agent}
	}
	leaveOut(header, without)
	return header
}

const userAgent = "User-Agent"

// leaveOut takes headers out of a request.
func leaveOut(header http.Header, names []string) {
	for _, name := range names {
		if name = http.CanonicalHeaderKey(name); name == userAgent {
			header[name] = []string{""} // net/http would send its own
		} else {
			delete(header, name)
		}
	}
}
