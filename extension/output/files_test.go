package output

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLinksAreNotFollowed requires that a link in a result folder, also one to nothing, is refused and nothing is written
// through it.
func TestLinksAreNotFollowed(t *testing.T) {
	for _, name := range []string{recordsFile, clientFile, tasksFile} {
		dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
		if err := os.Symlink(outside, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := create(dir); err == nil {
			t.Errorf("%s was opened through a link", name)
		}
		if _, err := os.Lstat(outside); !os.IsNotExist(err) {
			t.Errorf("%s was created through a link: %v", name, err)
		}
	}
}
