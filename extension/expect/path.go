package expect

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// Path is a parsed path such as choices[].message.content.
type Path []step

// step is a member name, or every item of the array when name is empty.
type step struct{ name string }

// ParsePath reads a path whose members are joined by dots and may be followed by [].
func ParsePath(text string) (Path, error) {
	var path Path
	for part := range strings.SplitSeq(text, ".") {
		name := strings.TrimRight(part, "[]")
		if name == "" || strings.Trim(part[len(name):], "[]") != "" || strings.ReplaceAll(part[len(name):], "[]", "") != "" {
			return nil, fmt.Errorf("cannot read path %q: write members joined by dots, each followed by [] for all items", text)
		}
		path = append(path, step{name})
		for range (len(part) - len(name)) / 2 {
			path = append(path, step{})
		}
	}
	return path, nil
}

// Get returns the value at a path without []. Of duplicate members the last counts, as in JSON.parse; null and absent
// values are both missing.
func (p Path) Get(root gjson.Result) (gjson.Result, bool) {
	value := root
	for _, s := range p {
		if value = member(value, s.name); !present(value) {
			return gjson.Result{}, false
		}
	}
	return value, true
}

// visit calls check for each value at the path, with its own path; a missing value is passed as such. Members of what is
// not an object and items of what is not an array are not visited: the rule of the parent reports them.
func (p Path) visit(root gjson.Result, at string, check func(at string, value gjson.Result) string) string {
	if len(p) == 0 {
		return check(at, root)
	}
	if p[0].name != "" {
		if at != "" {
			at += "."
		}
		return p[1:].visit(member(root, p[0].name), at+p[0].name, check)
	}
	wrong, i := "", 0
	if root.IsArray() {
		root.ForEach(func(_, item gjson.Result) bool {
			wrong = p[1:].visit(item, at+"["+strconv.Itoa(i)+"]", check)
			i++
			return wrong == ""
		})
	}
	return wrong
}

func member(object gjson.Result, name string) (found gjson.Result) {
	if !object.IsObject() {
		return found
	}
	object.ForEach(func(key, value gjson.Result) bool {
		if key.Str == name {
			found = value
		}
		return true
	})
	return found
}

func present(value gjson.Result) bool { return value.Type != gjson.Null }
