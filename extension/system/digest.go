package system

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
)

// Digest computes the SHA-256 of the program of this process, in hexadecimal, while virtual users are made; the text is empty
// where the file cannot be read.
func Digest() <-chan string {
	digest := make(chan string, 1)
	go func() { digest <- digestOf(program()) }()
	return digest
}

// program is a path of the file that is run. On Linux it stays that file when another takes its place.
func program() string {
	const own = "/proc/self/exe"
	if _, err := os.Stat(own); err == nil {
		return own
	}
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	return path
}

func digestOf(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return ""
	}
	return hex.EncodeToString(hash.Sum(nil))
}
