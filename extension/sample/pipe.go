package sample

import (
	"io"
	"os"
	"strconv"
)

// Variable is the environment variable with the number of the open file that Assay reads the sample from.
const Variable = "ASSAY_CHECK_PIPE"

// OpenPipe returns the pipe that the environment names; nil when it names none.
func OpenPipe(getenv func(string) string) io.WriteCloser {
	number, err := strconv.ParseUint(getenv(Variable), 10, 16)
	if err != nil || number <= 2 {
		return nil
	}
	file := os.NewFile(uintptr(number), "sample")
	if file == nil {
		return nil
	}
	return file
}
