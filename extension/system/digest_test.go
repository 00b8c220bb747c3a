package system

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDigestIsThatOfTheProgramOfThisProcess(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := <-Digest(), digestOf(path); got != want || len(got) != 64 {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDigestOfAFileIsItsSHA256(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := digestOf(path), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := digestOf(path + ".none"); got != "" {
		t.Errorf("got %q of no file", got)
	}
}
