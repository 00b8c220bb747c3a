package module

import (
	"fmt"
	"hash/fnv"
	"math/big"

	"assay.dev/k6/pacer"
	"go.k6.io/k6/v2/lib"
)

// SegmentOf returns the segment of the run that this process is: the execution segment of k6, within its part of the run.
func SegmentOf(options lib.Options, part pacer.Part) (pacer.Segment, error) {
	segment := pacer.Segment{}
	if options.ExecutionSegment != nil {
		tuple, err := lib.NewExecutionTuple(options.ExecutionSegment, options.ExecutionSegmentSequence)
		if err != nil {
			return segment, fmt.Errorf("cannot split the run by execution segment %s: %w", options.ExecutionSegment, err)
		}
		segment.Start, segment.Steps, _ = tuple.GetStripedOffsets()
		segment.Share = tuple.Segment.FloatLength()
	}
	if name := SegmentName(options, part); name != "" {
		key := fnv.New64a()
		_, _ = key.Write([]byte(name))
		segment.Key = key.Sum64()
	}
	return segment.Within(part), nil
}

// SegmentName writes the segment of the run that this process is as k6 does, such as 1/3:1/2; empty for the whole run.
func SegmentName(options lib.Options, part pacer.Part) string {
	own := options.ExecutionSegment
	if part.Of == 0 {
		if own == nil {
			return ""
		}
		return own.String()
	}
	whole, err := lib.NewExecutionSegment(big.NewRat(part.Number-1, part.Of), big.NewRat(part.Number, part.Of))
	if err != nil {
		return "" // the part was checked
	}
	return whole.SubSegment(own).String()
}
