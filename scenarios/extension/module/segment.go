package module

import (
	"fmt"
	"hash/fnv"

	"assay.dev/k6/pacer"
	"go.k6.io/k6/v2/lib"
)

// segmentOf translates k6's execution segment, and returns what scales a count of the whole run to it.
func segmentOf(options lib.Options) (pacer.Segment, func(int64) int64, error) {
	whole := func(n int64) int64 { return n }
	if options.ExecutionSegment == nil {
		return pacer.Segment{}, whole, nil
	}
	tuple, err := lib.NewExecutionTuple(options.ExecutionSegment, options.ExecutionSegmentSequence)
	if err != nil {
		return pacer.Segment{}, nil, fmt.Errorf("cannot split the run by execution segment %s: %w", options.ExecutionSegment, err)
	}
	start, steps, _ := tuple.GetStripedOffsets()
	key := fnv.New64a()
	_, _ = key.Write([]byte(tuple.Segment.String()))
	return pacer.Segment{
		Share: tuple.Segment.FloatLength(), Key: key.Sum64(), Start: start, Steps: steps,
	}, tuple.ScaleInt64, nil
}
