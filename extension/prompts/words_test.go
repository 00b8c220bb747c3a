package prompts

import (
	"strings"
	"testing"
)

func TestTextsAreThoseOfTheSharedCases(t *testing.T) {
	for _, tt := range cases[struct {
		Words              []string
		Costs              []int
		CharactersPerToken float64
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
		characters float64
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

func TestPromptsWithTheSameBlocksShareTheirTexts(t *testing.T) {
	words, err := NewWords([]string{"some", "words", "a"}, nil, 6)
	if err != nil {
		t.Fatal(err)
	}
	keys := Keys{1, 2}
	of := func(tokens int, own uint32, ids ...int64) string {
		return words.Blocks(ids, 16, tokens, keys, Keys{own, own})
	}
	// The space before a text counts as one of its characters, and the first block has none.
	const block = 16 * 6
	first, second, longer := of(40, 1, 7, 8, 9), of(48, 2, 7, 8, 1<<40+9), of(80, 3, 7, 8)
	if len(first) != 40*6-1 || len(second) != 48*6-1 || len(longer) != 80*6-1 {
		t.Errorf("%d, %d and %d characters", len(first), len(second), len(longer))
	}
	if shared := first[:2*block-1]; !strings.HasPrefix(second, shared) || !strings.HasPrefix(longer, shared) {
		t.Errorf("%q, %q and %q share two blocks", first, second, longer)
	}
	if first[2*block:2*block+40] == second[2*block:2*block+40] || of(80, 4, 7, 8) == longer || of(16, 1, 9) == of(16, 1, 1<<40+9) {
		t.Error("other blocks, and what goes beyond them, are the same")
	}
	if cut := of(20, 1, 7, 8, 9); len(cut) != 20*6-1 || cut[:block-1] != first[:block-1] {
		t.Errorf("20 tokens of three blocks are %q", cut)
	}
}
