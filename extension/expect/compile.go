package expect

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Checker is an [Expectation] made ready for many checks. It is safe for concurrent use.
type Checker struct {
	fields   []field
	by       Path
	variants map[string]*variant
	nonEmpty []Path
	vectors  Path
	counted  Path
	indexes  Path

	takes []Path // of values to take; nil for none
	base  *node  // all rules but those of variants
}

// variant is further fields.
type variant struct {
	fields []field
	tree   *node // all rules, with these fields
}

type field struct {
	path Path
	rule Field
	kind fieldType
}

// Compile prepares the checks of an expectation, and to take the values at paths without []; a nil path takes none. It fails on
// a type or a path that it does not know.
func Compile(e Expectation, takes ...Path) (*Checker, error) {
	c := &Checker{variants: map[string]*variant{}, takes: takes}
	var err error
	if c.fields, err = compileFields(e.Fields); err != nil {
		return nil, err
	}
	if e.Variants != nil {
		if c.by, err = ParsePath(e.Variants.By); err != nil {
			return nil, err
		}
		for value, fields := range e.Variants.Fields {
			further, err := compileFields(fields)
			if err != nil {
				return nil, err
			}
			c.variants[value] = &variant{fields: further}
		}
	}
	for _, text := range e.NonEmpty {
		path, err := ParsePath(text)
		if err != nil {
			return nil, err
		}
		c.nonEmpty = append(c.nonEmpty, path)
	}
	for _, rule := range []struct {
		text string
		path *Path
	}{{e.Vectors, &c.vectors}, {e.Counted, &c.counted}, {e.Indexes, &c.indexes}} {
		if rule.text == "" {
			continue
		}
		if *rule.path, err = ParsePath(rule.text); err != nil {
			return nil, err
		}
	}
	c.base = c.tree(nil)
	for _, v := range c.variants {
		v.tree = c.tree(v.fields)
	}
	return c, nil
}

func compileFields(rules []Field) ([]field, error) {
	fields := make([]field, 0, len(rules))
	for _, rule := range rules {
		kind, ok := fieldTypes[rule.Type]
		if !ok {
			known := strings.Join(slices.Sorted(maps.Keys(fieldTypes)), ", ")
			return nil, fmt.Errorf("cannot check field %q: type %q is none of %s", rule.Path, rule.Type, known)
		}
		path, err := ParsePath(rule.Path)
		if err != nil {
			return nil, err
		}
		fields = append(fields, field{path, rule, kind})
	}
	return fields, nil
}
