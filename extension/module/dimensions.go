package module

import (
	"fmt"

	"assay.dev/k6/httpstream"
	"assay.dev/k6/record"
)

// checkDimensions compares the length of the vectors of a response with that of the first ones of the model in the run:
// vectors of different lengths cannot be compared with each other.
func (e *endpoint) checkDimensions(r *record.Record) {
	if r.Dimensions == 0 || r.Outcome != httpstream.OK {
		return
	}
	if first := e.user.run.FirstDimensions(r.Model, r.Dimensions); first != r.Dimensions {
		r.Outcome = httpstream.Contract
		r.Detail = fmt.Sprintf("The vectors have length %d, where %d was expected, that of the first vectors of the model %s in this run.",
			r.Dimensions, first, r.Model)
	}
}
