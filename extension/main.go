// Command k6 is k6 with the client, arrival pacer and record output of Assay.
package main

import (
	"fmt"
	"os"

	"assay.dev/k6/module"
	"assay.dev/k6/otlp"
	"assay.dev/k6/output"
	"assay.dev/k6/parentpipe"
	"assay.dev/k6/runstate"
	"assay.dev/k6/users"
	"go.k6.io/k6/v2/cmd"
	"go.k6.io/k6/v2/js/modules"
	k6output "go.k6.io/k6/v2/output"
)

var current = runstate.New()

func init() {
	modules.Register(module.Name, module.New(current))
	users.Register(current)
	k6output.RegisterExtension(output.Name, output.New(current))
	k6output.RegisterExtension(otlp.Name, otlp.New(current))
}

// sourceNotice says what the licence asks for: that k6 was modified, and where the source is.
const sourceNotice = "This k6 was modified by Assay and is licensed under the AGPL-3.0-only. Its complete source is the npm package " +
	"@assay-load/k6-source, of the version of the package that k6 came with."

func main() {
	if len(os.Args) == 2 && os.Args[1] == "version" {
		fmt.Fprintln(os.Stderr, sourceNotice)
	}
	parentpipe.WatchStdin(current)
	cmd.Execute()
}
