package module

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheHeadersOfARequestAreThoseOfNode(t *testing.T) {
	var rows []struct {
		Name          string
		Headers, Sent map[string]string
		Stream        bool
		Without       []string
	}
	data, err := os.ReadFile(filepath.Join("..", "..", "scenarios", "testdata", "own-headers.json"))
	if err == nil {
		err = json.Unmarshal(data, &rows)
	}
	if err != nil || len(rows) == 0 {
		t.Fatal(err)
	}
	for _, row := range rows {
		e := &endpoint{options: endpointOptions{Stream: row.Stream}}
		own := headerOf(row.Headers)
		addDefaults(own, e.accept())
		header := requestHeaders(own, "ID", "AGENT", row.Without)
		if got := sentOf(header); !maps.Equal(got, row.Sent) {
			t.Errorf("%s: got %v, want %v", row.Name, got, row.Sent)
		}
	}
}

// sentOf are headers as they are sent: an empty User-Agent is not.
func sentOf(header http.Header) map[string]string {
	sent := map[string]string{}
	for name := range header {
		if value := header.Get(name); name != userAgent || value != "" {
			sent[strings.ToLower(name)] = value
		}
	}
	return sent
}
