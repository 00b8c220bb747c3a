package module

import (
	"fmt"
	"hash/fnv"

	"assay.dev/k6/pacer"
	"go.k6.io/k6/v2/lib"
)

// SegmentOf converts the execution segment of k6.
func SegmentOf(options lib.Options) (pacer.Segment, error) {
	if options.ExecutionSegment == nil {
		return pacer.Segment{}, nil
	}
	tuple, err := lib.NewExecutionTuple(options.ExecutionSegment, options.ExecutionSegmentSequence)
	if err != nil {
		return pacer.Segment{}, fmt.Errorf("cannot split the run by execution segment %s: %w", options.ExecutionSegment, err)
	}
	start, steps, _ := tuple.GetStripedOffsets()
	key := fnv.New64a()
	_, _ = key.Write([]byte(tuple.Segment.String()))
	return pacer.Segment{
		Share: tuple.Segment.FloatLength(), Key: key.Sum64(), Start: start, Steps: steps,
	}, nil
}
