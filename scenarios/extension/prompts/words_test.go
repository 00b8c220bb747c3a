package prompts

import (
	"strings"
	"testing"
)

func TestTextsAreThoseOfTheSharedCases(t *testing.T) {
	for _, tt := range cases[struct {
		Words              []string
		Costs              []int
		CharactersPerToken int
		Tokens             int
		Keys               [2]uint32
		Text               string
	}](t, "made-texts.json") {
		words, err := NewWords(tt.Words, tt.Costs, tt.CharactersPerToken)
		if err != nil {
			t.Fatal(err)
		}
		if got := words.Text(tt.Tokens, tt.Keys[0], tt.Keys[1]); got != tt.Text {
			t.Errorf("%d tokens of %v are %q, want %q", tt.Tokens, tt.Words, got, tt.Text)
		}
	}
}

func TestWordsThatCannotBeUsedAreAnError(t *testing.T) {
	for _, tt := range []struct {
		words      []string
		costs      []int
		characters int
	}{{nil, nil, 4}, {[]string{"a"}, []int{1, 2}, 4}, {[]string{"a"}, []int{0}, 4}, {[]string{"a"}, nil, 0}} {
		if _, err := NewWords(tt.words, tt.costs, tt.characters); err == nil || !strings.Contains(err.Error(), "cannot make texts") {
			t.Errorf("%v: %v", tt, err)
		}
	}
}

func TestATextOfManyTokensIsMadeQuickly(t *testing.T) {
	words, err := NewWords([]string{"some", "words", "a"}, []int{1, 2, 1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(strings.Fields(words.Text(1_000_000, 1, 2))); got < 600_000 || got > 1_000_000 {
		t.Errorf("%d words", got)
	}
}
