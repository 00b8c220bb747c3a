package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The files of a run.
const (
	recordsFile = "records.jsonl"
	clientFile  = "client.jsonl"
	tasksFile   = "tasks.jsonl"
)

// create creates the files of a run in a folder without any of them.
func create(dir string) (records, client, tasks *os.File, err error) {
	if info, statErr := os.Stat(dir); statErr != nil {
		return nil, nil, nil, fmt.Errorf("cannot write results to %s: %w; create the folder first", dir, statErr)
	} else if !info.IsDir() {
		return nil, nil, nil, fmt.Errorf("cannot write results to %s: it is not a folder; give one", dir)
	}
	files := make([]*os.File, 0, 3)
	for _, name := range []string{recordsFile, clientFile, tasksFile} {
		file, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			for _, opened := range files {
				_ = opened.Close()
			}
			return nil, nil, nil, refused(dir, name, err)
		}
		files = append(files, file)
	}
	return files[0], files[1], files[2], nil
}

func refused(dir, name string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("cannot write results to %s: it already contains %s of another run; give each run its own folder", dir, name)
	}
	return fmt.Errorf("cannot write results to %s: %w; give a folder that this user may write to", dir, err)
}
