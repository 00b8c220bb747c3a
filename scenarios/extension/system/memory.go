// Package system holds the collector back, within the memory that the process may use: on a loaded client, collections
// are the largest error of measured times.
package system

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
)

// LimitVariable is the environment variable of the setting --memory-limit.
const LimitVariable = "ASSAY_MEMORY_LIMIT"

// Limit is the memory after which the collector starts, in bytes; 0 when nothing is known, so that the collector is left
// alone. It is half of what is available to the process now.
func Limit(setting string) (int64, error) {
	if setting != "" {
		return ParseBytes(setting)
	}
	return available(os.DirFS("/")) / 2, nil
}

var units = []struct {
	suffix string
	factor float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}, {"", 1},
}

// ParseBytes reads a number of bytes, which may have a unit such as MiB or GB.
func ParseBytes(text string) (int64, error) {
	text = strings.TrimSpace(text)
	for _, unit := range units {
		digits, found := strings.CutSuffix(text, unit.suffix)
		if !found {
			continue
		}
		value, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
		if bytes := value * unit.factor; err == nil && bytes >= 1<<20 && bytes < math.MaxInt64 {
			return int64(bytes), nil
		}
		break
	}
	return 0, fmt.Errorf("cannot read %s: %q is no amount of memory of 1MiB or more; write bytes, or a number such as 512MiB or 4GiB",
		LimitVariable, text)
}

// fields reads the first number of the lines of a file by their names, such as MemAvailable.
func fields(file io.Reader) map[string]int64 {
	values := map[string]int64{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) < 2 {
			continue
		}
		if n, err := strconv.ParseInt(words[1], 10, 64); err == nil {
			values[strings.TrimSuffix(words[0], ":")] = n
		}
	}
	return values
}
