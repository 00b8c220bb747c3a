package httpstream

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestTheStatusesThatMayHaveCreatedATaskAreThoseOfTheContract(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "contract", "testdata", "submission-statuses.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Status         int
		MayHaveCreated bool
	}
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if got := MayHaveCreatedTask(row.Status); got != row.MayHaveCreated {
			t.Errorf("status %d: got %t, want %t", row.Status, got, row.MayHaveCreated)
		}
	}
}
