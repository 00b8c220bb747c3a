package module

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func TestTheEnumsAreThoseOfTheFormats(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "formats", "testdata", "outcomes.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want map[string][]string
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	outcome := filepath.Join("..", "httpstream", "outcome.go")
	got := map[string][]string{
		"ops":           ops,
		"phases":        constants(t, filepath.Join("..", "pacer", "arrival.go"), "Phase", ""),
		"outcomes":      constants(t, outcome, "Outcome", ""),
		"flags":         constants(t, outcome, "", "Flag"),
		"streamFormats": constants(t, outcome, "", "Format"),
		"tokenSources":  constants(t, outcome, "", "Tokens"),
		"arrivalEnds":   constants(t, filepath.Join("..", "record", "arrival.go"), "ArrivalEnd", ""),
		"cancelReasons": constants(t, filepath.Join("..", "record", "cancel_reason.go"), "CancelReason", ""),
		"clientFaults":  constants(t, filepath.Join("..", "httpstream", "client_fault.go"), "ClientFault", ""),
		"taskEvents":    constants(t, filepath.Join("..", "journal", "journal.go"), "", "event"),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// constants are the texts of the constants of a type, empty for none, whose names have a prefix.
func constants(t *testing.T, file, kind, prefix string) (values []string) {
	t.Helper()
	source, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(source, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		given, _ := spec.Type.(*ast.Ident)
		literal, isText := spec.Values[0].(*ast.BasicLit)
		if isText && strings.HasPrefix(spec.Names[0].Name, prefix) && (given == nil) == (kind == "") && (given == nil || given.Name == kind) {
			value, _ := strconv.Unquote(literal.Value)
			values = append(values, value)
		}
		return true
	})
	return values
}
