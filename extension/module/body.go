package module

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"strconv"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
)

// digests are those of the input of a call: of all parts of its body but the last, which holds what is asked of the response. They
// are 0 without a body.
type digests struct {
	whole uint64
	// prefix is that of its first [prefixBytes] after the first part, which names the model.
	prefix uint64
}

// prefixBytes are about 60 tokens: caches of prefixes keep blocks of 16 tokens and more.
const prefixBytes = 256

// digestsOf are those of an input. @param head how much of it names the model
func digestsOf(input []byte, head int) digests {
	whole := digest(input)
	if len(input) <= head+prefixBytes {
		return digests{whole, whole}
	}
	return digests{whole, digest(input[:head+prefixBytes])}
}

// bodyOf is the body of a call, a text or the parts of one, and the digests of its input.
func (e *endpoint) bodyOf(given sobek.Value) ([]byte, digests, error) {
	parts, ok := given.(*sobek.Object)
	if !ok {
		body := []byte(given.String())
		return body, digestsOf(body, 0), nil
	}
	var few [8]string
	texts, size := few[:0], 0
	for n := range int(parts.Get("length").ToInteger()) {
		part, err := partOf(parts.Get(strconv.Itoa(n)))
		if err != nil {
			return nil, digests{}, fmt.Errorf("cannot send %s: part %d of its body %w", e.options.Op, n+1, err)
		}
		texts, size = append(texts, part), size+len(part)
	}
	body := make([]byte, 0, size)
	input, head := 0, 0
	if len(texts) > 0 {
		head = len(texts[0])
	}
	for _, text := range texts {
		input = len(body)
		body = append(body, text...)
	}
	return body, digestsOf(body[:input], min(input, head)), nil
}

// digestBits is how many bits a digest has: a number of JSON holds them exactly.
const digestBits = 52

// digest is a hash of what two requests may have in common, never 0 but without any; every request of a run comes here. Eight bytes at a
// time are multiplied into it, as wyhash does (https://github.com/wangyi-fudan/wyhash).
func digest(input []byte) uint64 {
	const first, second = 0xa0761d6478bd642f, 0xe7037ed1a0b428db
	if len(input) == 0 {
		return 0
	}
	hash := uint64(len(input)) ^ first
	for ; len(input) >= 8; input = input[8:] {
		hash = folded(hash^binary.LittleEndian.Uint64(input), second)
	}
	var rest [8]byte
	copy(rest[:], input)
	hash = folded(hash^binary.LittleEndian.Uint64(rest[:]), second)
	return max(1, folded(hash, first)>>(64-digestBits))
}

// folded is the product of two numbers, its upper half over its lower.
func folded(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

// partOf is a part of a body, which is a text.
func partOf(given sobek.Value) (string, error) {
	if text, ok := given.(sobek.String); ok {
		return text.String(), nil
	}
	if common.IsNullish(given) {
		return "", errors.New("is missing")
	}
	return "", fmt.Errorf("is %s, which is no text", given)
}
