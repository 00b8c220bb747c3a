package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

// FuzzJournal lets requests and tasks come and go in any order. A reader of the lines knows the same open tasks as the
// journal does, and each line is JSON.
func FuzzJournal(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5}, "task")
	f.Add([]byte{1, 1, 9, 17, 5, 13, 21, 2, 10}, "a\"\n\xff\u2028")
	f.Fuzz(func(t *testing.T, steps []byte, name string) {
		var file bytes.Buffer
		j := &Journal{}
		j.WriteTo(&file, func(text string) string { return text }, func(err error) { t.Error(err) })
		for _, step := range steps {
			id, task := fmt.Sprintf("r-%d", step>>5), name+fmt.Sprint(step>>3&3)
			switch step % 6 {
			case 0:
				j.Submitting(id)
			case 1:
				j.Accepted(id, task)
			case 2:
				j.Refused(id)
			case 3:
				j.Unknown(id, 0)
			case 4:
				j.GoesOn(task)
			case 5:
				j.Ended(task, name)
			}
		}
		var open []string
		for line := range bytes.Lines(file.Bytes()) {
			var e entry
			if err := json.Unmarshal(line, &e); err != nil {
				t.Fatalf("line %q: %v", line, err)
			}
			switch e.Event {
			case eventAccepted:
				if !slices.Contains(open, e.Task) {
					open = append(open, e.Task)
				}
			case eventEnded:
				open = slices.DeleteFunc(open, func(task string) bool { return task == e.Task })
			}
		}
		var kept []string
		for _, task := range j.Open() {
			kept = append(kept, string([]rune(task))) // as JSON has it
		}
		if slices.Sort(open); !slices.Equal(open, slices.Sorted(slices.Values(kept))) {
			t.Errorf("the journal keeps %q open, its file %q", kept, open)
		}
	})
}
