package health

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheSharedLinesAreReadAndWrittenAsTheyAre(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "formats", "testdata", "client.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for want := range strings.Lines(string(data)) {
		var line Line
		if err := json.Unmarshal([]byte(want), &line); err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(line); err != nil || string(got) != strings.TrimSpace(want) {
			t.Errorf("got\n%s, %v, want\n%s", got, err, want)
		}
	}
}
