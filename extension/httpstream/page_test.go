package httpstream

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestAPageIsNamedByItsTitle(t *testing.T) {
	var pages []struct{ Name, Body, Says string }
	data, err := os.ReadFile(filepath.Join("..", "..", "scenarios", "testdata", "pages.json"))
	if err == nil {
		err = json.Unmarshal(data, &pages)
	}
	if err != nil || len(pages) == 0 {
		t.Fatal(err)
	}
	for _, page := range pages {
		if got := bodyInWords([]byte(page.Body)); got != page.Says {
			t.Errorf("%s: %s", page.Name, got)
		}
	}
}
