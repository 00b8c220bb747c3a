package prompts

import (
	"errors"
	"strings"
)

// Words makes texts of a given number of tokens out of words, the same for the same keys. load/inputs/words.ts does the same.
type Words struct {
	words []string
	// costs are the tokens of each word; nil when tokens are counted by characters.
	costs []int
	// single are the words of one token.
	single []string
	// charactersPerToken holds where costs is nil.
	charactersPerToken float64
}

// NewWords takes the words with the tokens of each; without costs, a token is that many characters.
func NewWords(words []string, costs []int, charactersPerToken float64) (*Words, error) {
	if len(words) == 0 || costs != nil && len(costs) != len(words) || costs == nil && charactersPerToken <= 0 {
		return nil, errors.New("cannot make texts: there are no words, or not as many costs as words")
	}
	w := &Words{words: words, charactersPerToken: charactersPerToken}
	if costs == nil {
		return w, nil
	}
	w.costs = costs
	for n, cost := range costs {
		if cost < 1 {
			return nil, errors.New("cannot make texts: a word costs less than one token")
		}
		if cost == 1 {
			w.single = append(w.single, words[n])
		}
	}
	return w, nil
}

// Text is a text of that many tokens. Where no word has one token, it may be shorter by less than the longest word.
func (w *Words) Text(tokens int, key, other uint32) string {
	draw := drawer{key: key, other: other}
	if w.costs == nil {
		return w.ofCharacters(w.characters(tokens), &draw)
	}
	var text strings.Builder
	left := tokens
	add := func(word string) {
		if text.Len() > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(word)
	}
	for left > 0 {
		n := draw.below(len(w.words))
		if w.costs[n] > left {
			break
		}
		add(w.words[n])
		left -= w.costs[n]
	}
	for ; left > 0 && len(w.single) > 0; left-- {
		add(w.single[draw.below(len(w.single))])
	}
	if text.Len() == 0 {
		return w.words[0]
	}
	return text.String()
}

// Keys are the two keys of a text.
type Keys struct{ Key, Other uint32 }

// of are the keys of the text of a block.
func (k Keys) of(id int64) Keys {
	return Keys{mixed(mixed(k.Key, uint32(id)), uint32(id>>32)), mixed(mixed(k.Other, uint32(id)), uint32(id>>32))}
}

// Blocks is a text of that many tokens made of blocks of a size, each of which is the same for the same id and keys. What goes beyond
// the blocks is made by its own keys, and the last block may be cut.
func (w *Words) Blocks(ids []int64, size, tokens int, keys, own Keys) string {
	var text strings.Builder
	add := func(count int, of Keys) {
		if text.Len() > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(w.piece(count, of))
		tokens -= count
	}
	for _, id := range ids {
		if tokens < 1 {
			break
		}
		add(min(max(1, size), tokens), keys.of(id))
	}
	if tokens > 0 {
		add(tokens, own)
	}
	return text.String()
}

// piece is a text of that many tokens with the space before it.
func (w *Words) piece(tokens int, keys Keys) string {
	if w.costs != nil {
		return w.Text(tokens, keys.Key, keys.Other)
	}
	return w.ofCharacters(w.characters(tokens)-1, &drawer{key: keys.Key, other: keys.Other})
}

// characters is the length of that many tokens, at least one.
func (w *Words) characters(tokens int) int {
	return max(1, int(float64(tokens)*w.charactersPerToken))
}

func (w *Words) ofCharacters(count int, draw *drawer) string {
	text := make([]byte, 0, count+32)
	for len(text) < count {
		if len(text) > 0 {
			text = append(text, ' ')
		}
		text = append(text, w.words[draw.below(len(w.words))]...)
	}
	text = text[:count]
	if count > 0 && text[count-1] == ' ' {
		text[count-1] = '.'
	}
	return string(text)
}

// drawer draws numbers by two keys.
type drawer struct{ key, other, drawn uint32 }

// below is the next number from 0 to n-1.
func (d *drawer) below(n int) int {
	bits := mixed(mixed(d.key, d.drawn), d.other)
	d.drawn++
	return int(uint64(bits) * uint64(n) >> 32)
}

// mixed is the finalizer of MurmurHash3 over a hash and 32 more bits.
func mixed(hash, bits uint32) uint32 {
	result := hash ^ bits
	result = (result ^ result>>16) * 0x85ebca6b
	result = (result ^ result>>13) * 0xc2b2ae35
	return result ^ result>>16
}
