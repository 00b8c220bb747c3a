package module

import (
	"fmt"
	"time"

	"assay.dev/k6/pacer"
	"assay.dev/k6/runstate"
	"github.com/grafana/sobek"
)

// traceColumns is what the second argument of configure() returns; see Trace in k6-x-assay.d.ts.
type traceColumns struct {
	OffsetsMS    []float64 `js:"offsetsMs"`
	InputTokens  []int64   `js:"inputTokens"`
	OutputTokens []int64   `js:"outputTokens"`
	Sessions     []int64   `js:"sessions"`
	Blocks       struct {
		Tokens int64   `js:"tokens"`
		IDs    []int64 `js:"ids"`
		Starts []int64 `js:"starts"`
	} `js:"blocks"`
	Turns struct {
		Starts       []int64   `js:"starts"`
		ThinkMS      []float64 `js:"thinkMs"`
		InputTokens  []int64   `js:"inputTokens"`
		OutputTokens []int64   `js:"outputTokens"`
	} `js:"turns"`
}

// traceReader calls the function that was passed to configure(); nil without one.
func (i *Instance) traceReader(given sobek.Value) runstate.TraceReader {
	read, ok := sobek.AssertFunction(given)
	if !ok {
		return nil
	}
	return func(stream int) (*pacer.Trace, error) {
		value, err := read(sobek.Undefined(), i.vu.Runtime().ToValue(stream))
		if err != nil {
			return nil, err
		}
		var columns traceColumns
		if err := i.vu.Runtime().ExportTo(value, &columns); err != nil {
			return nil, fmt.Errorf("cannot read the trace that was passed to configure(): %w", err)
		}
		trace := &pacer.Trace{
			InputTokens: columns.InputTokens, OutputTokens: columns.OutputTokens,
			Blocks: pacer.Blocks(columns.Blocks), Sessions: columns.Sessions, Turns: pacer.Turns(columns.Turns),
		}
		trace.Offsets = make([]time.Duration, len(columns.OffsetsMS))
		for index, ms := range columns.OffsetsMS {
			trace.Offsets[index] = runstate.FromMilliseconds(ms)
		}
		return trace, nil
	}
}
