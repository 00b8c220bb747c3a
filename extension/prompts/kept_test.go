package prompts

import (
	"strings"
	"testing"
)

func TestTextsAreMadeOnceUntilTheyAreTooMany(t *testing.T) {
	k, made := newKept(4), 0
	long := strings.Repeat("x", mostKept/2)
	for range 3 {
		for n := range 4 {
			text, err := k.text(n, func() (string, error) { made++; return long, nil })
			if err != nil || text != long {
				t.Fatal(text, err)
			}
		}
	}
	if want := 2 + 3*2; made != want {
		t.Errorf("%d texts were made, want %d: two of four fit", made, want)
	}
	if len(newKept(mostNumbered+1).texts) > 0 {
		t.Error("texts of a long file are kept")
	}
}

func BenchmarkMessages(b *testing.B) {
	const line = `{"prompt":"Explain in one paragraph why the sky is blue."}` + "\n"
	f, err := Index("f", strings.NewReader(strings.Repeat(line, 100)), int64(100*len(line)))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if _, err := f.Messages(n%100, ""); err != nil {
			b.Fatal(err)
		}
	}
}
