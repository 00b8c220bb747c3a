// Command supply-chain prints the licences of Go modules, for the bill of materials. It reads a line per module from
// standard input, name, version and folder separated by tabs, and writes a JSON array to standard output.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// Module is a module with the SPDX identifiers of the licences that the files in its folder hold.
type Module struct {
	Name     string   `json:"name"`
	Version  string   `json:"version"`
	Licences []string `json:"licences"`
}

// licenceFile matches the names under which a module may keep its licence.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense)`)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "Cannot read the licences of the Go modules: %v\n", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	modules := []Module{}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) != 3 {
			return fmt.Errorf("line %q: want name, version and folder", lines.Text())
		}
		licences, err := licencesIn(fields[2])
		if err != nil {
			return fmt.Errorf("module %s: %w", fields[0], err)
		}
		modules = append(modules, Module{Name: fields[0], Version: fields[1], Licences: licences})
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("reading the list of modules: %w", err)
	}
	return json.NewEncoder(out).Encode(modules)
}

// licencesIn returns the licences of which the texts stand in the files of a folder, sorted.
func licencesIn(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	licences := []string{}
	for _, entry := range entries {
		if entry.IsDir() || !licenceFile.MatchString(entry.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return nil, err
		}
		for _, match := range licensecheck.Scan(text).Match {
			licences = append(licences, match.ID)
		}
	}
	slices.Sort(licences)
	return slices.Compact(licences), nil
}
