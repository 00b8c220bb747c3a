package module

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"assay.dev/k6/prompts"
	"assay.dev/k6/runstate"
	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/lib/fsext"
)

// smallFile is the size up to which a prompts file is held in memory, in bytes: k6 then includes it in its archives.
const smallFile = 16 << 20

// newPrompts is the constructor of Prompts.
func (i *Instance) newPrompts(call sobek.ConstructorCall) *sobek.Object {
	runtime := i.vu.Runtime()
	file, err := i.promptsOf(call.Argument(0).String())
	if err != nil {
		common.Throw(runtime, err)
	}
	method := func(read func(sobek.FunctionCall) (any, error)) func(sobek.FunctionCall) sobek.Value {
		return i.native(func(call sobek.FunctionCall) (sobek.Value, error) {
			value, err := read(call)
			return runtime.ToValue(value), err
		})
	}
	nth := func(call sobek.FunctionCall) int { return int(call.Argument(0).ToInteger()) }
	err = errors.Join(
		call.This.Set("length", file.Len()),
		call.This.Set("messages", method(func(call sobek.FunctionCall) (any, error) {
			return file.Messages(nth(call), openingOf(call.Argument(1)))
		})),
		call.This.Set("text", method(func(call sobek.FunctionCall) (any, error) {
			return file.Text(nth(call), int(call.Argument(2).ToInteger()), openingOf(call.Argument(1)))
		})),
		call.This.Set("turns", method(func(call sobek.FunctionCall) (any, error) {
			return file.Turns(nth(call), openingOf(call.Argument(1)))
		})),
		call.This.Set("delays", method(func(call sobek.FunctionCall) (any, error) { return file.Delays(nth(call)) })),
	)
	if err != nil {
		common.Throw(runtime, err)
	}
	return call.This
}

// openingOf is what a prompt is to begin with, ten digits and a space; empty where a script gives no number.
func openingOf(given sobek.Value) string {
	if common.IsNullish(given) {
		return ""
	}
	const digits = 10
	opening := [digits + 1]byte{digits: ' '}
	rest := uint32(given.ToInteger())
	for at := digits - 1; at >= 0; at-- {
		opening[at], rest = '0'+byte(rest%10), rest/10
	}
	return string(opening[:])
}

// promptsOf finds the entries of a prompts file, once per process.
func (i *Instance) promptsOf(name string) (*prompts.File, error) {
	env := i.vu.InitEnv()
	if i.vu.State() != nil || env == nil {
		return nil, errors.New("cannot open prompts: the run has begun; create Prompts in the init context, outside of functions")
	}
	return runstate.Once(i.run, "prompts "+name, func() (*prompts.File, error) {
		source, size, err := openPrompts(env.FileSystems["file"], env.GetAbsFilePath(name))
		if err != nil {
			return nil, fmt.Errorf("cannot open the prompts %s: %w; prompts in load.json names the file", name, err)
		}
		return prompts.Index(name, source, size)
	})
}

// openPrompts opens a file: a small one through k6, any other where it is.
func openPrompts(files fsext.Fs, path string) (io.ReaderAt, int64, error) {
	about, err := files.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if about.Size() > smallFile {
		file, err := os.Open(path)
		return file, about.Size(), err
	}
	data, err := fsext.ReadFile(files, path)
	return bytes.NewReader(data), int64(len(data)), err
}

// vocabulary is what the argument of Words returns; see Vocabulary in k6-x-assay.d.ts.
type vocabulary struct {
	Words              []string `js:"words"`
	Costs              []int    `js:"costs"`
	CharactersPerToken float64  `js:"charactersPerToken"`
}

// newWords is the constructor of Words.
func (i *Instance) newWords(call sobek.ConstructorCall) *sobek.Object {
	runtime := i.vu.Runtime()
	words, err := runstate.Once(i.run, "words", func() (*prompts.Words, error) { return i.readWords(call.Argument(0)) })
	if err != nil {
		common.Throw(runtime, err)
	}
	text := i.native(func(call sobek.FunctionCall) (sobek.Value, error) {
		tokens, key, other := call.Argument(0).ToInteger(), call.Argument(1).ToInteger(), call.Argument(2).ToInteger()
		return runtime.ToValue(words.Text(int(tokens), uint32(key), uint32(other))), nil
	})
	blocks := i.native(func(call sobek.FunctionCall) (sobek.Value, error) {
		ids, ok := call.Argument(0).Export().([]int64)
		if !ok {
			return nil, errors.New("cannot make a text of blocks: the first argument is not the blocks of an arrival")
		}
		number := func(at int) int64 { return call.Argument(at).ToInteger() }
		keys := func(at int) prompts.Keys { return prompts.Keys{Key: uint32(number(at)), Other: uint32(number(at + 1))} }
		return runtime.ToValue(words.Blocks(ids, int(number(1)), int(number(2)), keys(3), keys(5))), nil
	})
	if err := errors.Join(call.This.Set("text", text), call.This.Set("blocks", blocks)); err != nil {
		common.Throw(runtime, err)
	}
	return call.This
}

// readWords calls the function that a script passed to Words.
func (i *Instance) readWords(given sobek.Value) (*prompts.Words, error) {
	read, ok := sobek.AssertFunction(given)
	if !ok {
		return nil, errors.New("cannot create Words: the argument is not a function; pass one that returns a vocabulary")
	}
	value, err := read(sobek.Undefined())
	if err != nil {
		return nil, err
	}
	var v vocabulary
	if err := i.vu.Runtime().ExportTo(value, &v); err != nil {
		return nil, fmt.Errorf("cannot create Words: the function did not return a vocabulary: %w", err)
	}
	return prompts.NewWords(v.Words, v.Costs, v.CharactersPerToken)
}
