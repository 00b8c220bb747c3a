package expect

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// Arrays of few pieces, some of which are no numbers, or not finite ones.
func TestArraysOfNumbersAreReadAlikeAtOnceAndCharacterByCharacter(t *testing.T) {
	pieces := []string{
		"0", "-0", "0.0", "0e5", "0.00E7", "1", "-0.0213", "12.5", "1e-05", "3.1e+12", "1E5", "1e308", "1e400", "null", "true", "false", `"1"`,
		"[1]", "[]", `{"a":1}`, strings.Repeat("1", longNumber-1), strings.Repeat("1", longNumber+1), "0." + strings.Repeat("0", 200) + "1",
	}
	random, fast := rand.New(rand.NewPCG(1, 2)), 0
	for range 20_000 {
		some := make([]string, random.IntN(5))
		for i := range some {
			some[i] = pieces[random.IntN(len(pieces))]
		}
		text := "[" + strings.Join(some, []string{",", " , ", ",\n"}[random.IntN(3)]) + "]"
		if !gjson.Valid(text) {
			t.Fatalf("%s is not JSON", text)
		}
		value := gjson.Parse(text)
		got, ok := readPlain(value.Raw)
		if !ok {
			continue
		}
		fast++
		if want := readEach(value); got.count != want.count || got.zero != want.zero || checkNumbers("", value) != "" {
			t.Errorf("%s: %+v, want %+v %s", text, got, want, checkNumbers("", value))
		}
	}
	if fast < 1_000 {
		t.Errorf("only %d were read at once", fast)
	}
}

func TestVectorsOfNumbersAreReadAtOnce(t *testing.T) {
	for _, text := range []string{"[1]", "[-0.0123, 9.155e-05,0]", "[0.0,1]"} {
		if _, ok := readPlain(text); !ok {
			t.Errorf("%s was not", text)
		}
	}
}
