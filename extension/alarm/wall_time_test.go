package alarm

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// virtual are the functions whose function literals run in virtual time.
var virtual = []string{"synctest.Test", "inVirtualTime"}

// comparing are the methods that make time.Now() a measurement.
var comparing = []string{"Sub", "After", "Before", "Compare"}

// name is that of a function or method: a.B for a selector, B for a function, .B for a method of anything else.
func name(function ast.Expr) string {
	switch f := function.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if of, ok := f.X.(*ast.Ident); ok {
			return of.Name + "." + f.Sel.Name
		}
		return "." + f.Sel.Name
	}
	return ""
}

// measuresWallTime reports whether a call measures how long something took.
func measuresWallTime(call *ast.CallExpr) bool {
	if name(call.Fun) == "time.Since" {
		return true
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !slices.Contains(comparing, method.Sel.Name) {
		return false
	}
	now, ok := method.X.(*ast.CallExpr)
	return ok && name(now.Fun) == "time.Now"
}

// wallTime returns the places in a test file that measure time, other than in virtual time.
func wallTime(t *testing.T, path string, source any) (places []string) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if ok && measuresWallTime(call) {
			places = append(places, files.Position(call.Pos()).String())
		}
		return !ok || !slices.Contains(virtual, name(call.Fun))
	})
	return places
}

// A test that asserts how long something took fails on a machine that is busy or slow. Assert an order or a count, or use
// testing/synctest.
func TestNoTestMeasuresWallTime(t *testing.T) {
	looked := 0
	for _, root := range []string{"..", filepath.Join("..", "..", "bench"), filepath.Join("..", "..", "scripts")} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			looked++
			for _, place := range wallTime(t, path, nil) {
				t.Errorf("%s measures wall time", place)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if looked < 50 {
		t.Errorf("only %d test files were found", looked)
	}
}

func TestWallTimeIsFoundOutsideVirtualTimeOnly(t *testing.T) {
	for body, want := range map[string]int{
		`if time.Since(start) > time.Second { t.Error() }`:                                      1,
		`took := time.Now().Sub(start); _ = took`:                                               1,
		`if time.Now().After(start.Add(time.Second)) { t.Error() }`:                             1,
		`t.Run("x", func(t *testing.T) { _ = time.Since(start) })`:                              1,
		`synctest.Test(t, func(t *testing.T) { _ = time.Since(start) }); _ = time.Since(start)`: 1,
		`synctest.Test(t, func(t *testing.T) { f(func() { _ = time.Since(start) }) })`:          0,
		`inVirtualTime(t, "x", func(t *testing.T) { _ = time.Now().Before(start) })`:            0,
		`request.Sent = time.Now(); at := time.Now().Add(time.Hour); _ = b.Sub(a)`:              0,
	} {
		if got := wallTime(t, "planted_test.go", "package p\nfunc f() {\n"+body+"\n}\n"); len(got) != want {
			t.Errorf("%s: found %v, want %d", body, got, want)
		}
	}
}
