package module

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
)

// newTexts is the constructor of Texts.
func (i *Instance) newTexts(call sobek.ConstructorCall) *sobek.Object {
	all, err := i.run.Texts(call.Argument(0).String(), func() ([]string, error) { return i.makeTexts(call.Argument(1)) })
	if err != nil {
		common.Throw(i.vu.Runtime(), err)
	}
	i.texts[call.This] = all
	return call.This
}

// makeTexts calls the function that a script passed to Texts.
func (i *Instance) makeTexts(given sobek.Value) ([]string, error) {
	read, ok := sobek.AssertFunction(given)
	if !ok {
		return nil, errors.New("cannot create Texts: the second argument is not a function; pass one that returns a list of strings")
	}
	value, err := read(sobek.Undefined())
	if err != nil {
		return nil, err
	}
	var all []string
	if err := i.vu.Runtime().ExportTo(value, &all); err != nil {
		return nil, fmt.Errorf("cannot create Texts: the function did not return a list of strings: %w", err)
	}
	return all, nil
}

// textsOf returns the texts of an Endpoint: those of its Texts, or none.
func (i *Instance) textsOf(given sobek.Value) ([]string, error) {
	if common.IsNullish(given) {
		return nil, nil
	}
	object, _ := given.(*sobek.Object)
	all, ok := i.texts[object]
	if !ok {
		return nil, errors.New("cannot create an Endpoint: its second argument is not a Texts; pass the result of new Texts()")
	}
	return all, nil
}

// bodyOf is the body of a call: a text, or the parts of one.
func (e *endpoint) bodyOf(given sobek.Value) ([]byte, error) {
	parts, ok := given.(*sobek.Object)
	if !ok {
		return []byte(given.String()), nil
	}
	var body []byte
	for n := range int(parts.Get("length").ToInteger()) {
		part, err := e.partOf(parts.Get(strconv.Itoa(n)))
		if err != nil {
			return nil, fmt.Errorf("cannot send %s: part %d of its body %w", e.options.Op, n+1, err)
		}
		body = append(body, part...)
	}
	return body, nil
}

// partOf is a part of a body: a text, or the index of one of the texts of the Endpoint.
func (e *endpoint) partOf(given sobek.Value) (string, error) {
	if text, ok := given.(sobek.String); ok {
		return text.String(), nil
	}
	if common.IsNullish(given) {
		return "", errors.New("is missing")
	}
	nth, ok := given.Export().(int64)
	if !ok {
		return "", fmt.Errorf("is %s, neither a text nor the index of one", given)
	}
	if nth < 0 || nth >= int64(len(e.texts)) {
		return "", fmt.Errorf("is text %d, and there are %d", nth, len(e.texts))
	}
	return e.texts[nth], nil
}
