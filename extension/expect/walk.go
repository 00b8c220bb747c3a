package expect

import (
	"math"

	"github.com/tidwall/gjson"
)

// node is a place in a document, with what has to hold there. The paths of all rules and of all values to take make one tree,
// so that one walk over a response does for all of them.
type node struct {
	names    []string // of its members, each with a child
	children []*node
	items    *node // of each item, if it is an array; nil without rules
	rules    []func(at string, value gjson.Result) string
	numbers  bool // an array of numbers
	vector   bool
	counted  bool
	index    bool
	takes    []int // positions of the value among those that are taken
}

// at returns the node of a path below n, which it makes.
func (n *node) at(path Path) *node {
	for _, s := range path {
		n = n.child(s)
	}
	return n
}

func (n *node) child(s step) *node {
	if s.name == "" {
		if n.items == nil {
			n.items = &node{}
		}
		return n.items
	}
	for i, name := range n.names {
		if name == s.name {
			return n.children[i]
		}
	}
	child := &node{}
	n.names, n.children = append(n.names, s.name), append(n.children, child)
	return child
}

// tree merges the rules of c, further fields and the values to take.
func (c *Checker) tree(further []field) *node {
	root := &node{}
	for _, fields := range [][]field{c.fields, further} {
		for _, f := range fields {
			n := root.at(f.path)
			if f.rule.Type == "numbers" {
				n.numbers = true
			}
			n.rules = append(n.rules, f.check)
		}
	}
	for _, path := range c.nonEmpty {
		n := root.at(path)
		n.rules = append(n.rules, checkNonEmpty)
	}
	if c.vectors != nil {
		root.at(c.vectors).vector = true
	}
	if c.counted != nil {
		root.at(c.counted).counted = true
	}
	if c.indexes != nil {
		root.at(c.indexes).index = true
	}
	for position, path := range c.takes {
		if path != nil {
			n := root.at(path)
			n.takes = append(n.takes, position)
		}
	}
	return root
}

// walk is one walk over a response.
type walk struct {
	items     int
	taken     []gjson.Result
	wrong     bool   // some rule does not hold
	length    int    // of the first vector; below zero before it
	indexes   int    // so far
	seen      uint64 // indexes below maskedIndexes
	manySeen  map[float64]bool
	mostIndex float64
}

// maskedIndexes are those that are noted without an allocation.
const maskedIndexes = 64

// few is how many members of an object are looked for without an allocation.
const few = 12

func (w *walk) visit(n *node, value gjson.Result) {
	for _, position := range n.takes {
		if present(value) {
			w.taken[position] = value
		}
	}
	w.check(n, value)
	if len(n.names) > 0 {
		var own [few]gjson.Result
		found := own[:]
		if len(n.names) > few {
			found = make([]gjson.Result, len(n.names))
		}
		if value.IsObject() {
			value.ForEach(func(key, member gjson.Result) bool {
				for i, name := range n.names {
					if name == key.Str {
						found[i] = member // the last of duplicates counts
						break
					}
				}
				return true
			})
		}
		for i, child := range n.children {
			w.visit(child, found[i])
		}
	}
	if n.items != nil && value.IsArray() {
		value.ForEach(func(_, item gjson.Result) bool {
			w.visit(n.items, item)
			return true
		})
	}
}

func (w *walk) check(n *node, value gjson.Result) {
	var about numbers
	if n.vector || n.numbers {
		about = readNumbers(value)
	}
	if !n.numbers || !about.plain || len(n.rules) > 1 {
		for _, rule := range n.rules {
			w.wrong = w.wrong || rule("", value) != ""
		}
	}
	if n.vector {
		if w.length < 0 {
			w.length = about.count
		}
		w.wrong = w.wrong || about.count != w.length || about.count == 0 || about.zero
	}
	if n.counted && w.items >= 0 {
		w.wrong = w.wrong || length(value) != w.items
	}
	if n.index {
		w.addIndex(value.Num)
	}
}

// addIndex takes an index, each of which may come once. Together they are 0 to n-1 when the largest of n is n-1.
func (w *walk) addIndex(index float64) {
	w.indexes++
	w.mostIndex = max(w.mostIndex, index)
	switch {
	case index < 0:
		w.wrong = true
	case index < maskedIndexes:
		bit := uint64(1) << uint(index)
		w.wrong = w.wrong || w.seen&bit != 0
		w.seen |= bit
	default:
		index = math.Trunc(index)
		if w.manySeen == nil {
			w.manySeen = map[float64]bool{}
		}
		w.wrong = w.wrong || w.manySeen[index]
		w.manySeen[index] = true
	}
}

// holds reports whether all rules hold for a response, and returns the length of its first vector.
func (c *Checker) holds(tree *node, root gjson.Result, items int, taken []gjson.Result) (dimensions int, holds bool) {
	w := walk{items: items, taken: taken, length: -1}
	w.visit(tree, root)
	if w.indexes > 0 && w.mostIndex > float64(w.indexes-1) {
		w.wrong = true
	}
	return max(w.length, 0), !w.wrong
}
