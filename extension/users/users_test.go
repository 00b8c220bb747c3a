package users

import (
	"testing"

	"assay.dev/k6/runstate"
	"go.k6.io/k6/v2/lib"
)

func TestUsersThatOnlyASlowTargetNeedsAreNotPlanned(t *testing.T) {
	run := runstate.New()
	Register(run)
	parsed, err := lib.GetParsedExecutorConfig("only", Name, []byte(`{"executor":"assay-users","vus":4000,"maxDuration":"3s","gracefulStop":"2s"}`))
	if err != nil {
		t.Fatal(err)
	}
	quarter, err := lib.NewExecutionSegmentFromString("0:1/4")
	if err != nil {
		t.Fatal(err)
	}
	expect := func(segment *lib.ExecutionSegment, planned, unplanned uint64) {
		t.Helper()
		tuple, err := lib.NewExecutionTuple(segment, nil)
		if err != nil {
			t.Fatal(err)
		}
		steps := parsed.GetExecutionRequirements(tuple)
		if steps[0].PlannedVUs != planned || steps[0].MaxUnplannedVUs != unplanned || steps[1].PlannedVUs != 0 || steps[1].TimeOffset.Seconds() != 5 {
			t.Errorf("%+v, want %d and %d for 5 s", steps, planned, unplanned)
		}
	}
	expect(nil, 4000, 0) // nothing is known of the arrivals
	options, err := runstate.ParseOptions([]byte(`{"schedule":{"process":"constant","rates":[{"from":1,"to":128}],"durationMs":1000}}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Configure(options, nil); err != nil {
		t.Fatal(err)
	}
	expect(nil, 256, 3744)
	expect(quarter, 64, 936)
}
