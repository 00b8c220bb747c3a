// Command k6 is k6 with the client, arrival pacer and record output of Assay.
package main

import (
	"assay.dev/k6/module"
	"assay.dev/k6/otlp"
	"assay.dev/k6/output"
	"assay.dev/k6/parentpipe"
	"assay.dev/k6/runstate"
	"go.k6.io/k6/v2/cmd"
	"go.k6.io/k6/v2/js/modules"
	k6output "go.k6.io/k6/v2/output"
)

func init() {
	current := runstate.New()
	modules.Register(module.Name, module.New(current))
	k6output.RegisterExtension(output.Name, output.New(current))
	k6output.RegisterExtension(otlp.Name, otlp.New(current))
}

func main() {
	parentpipe.WatchStdin()
	cmd.Execute()
}
