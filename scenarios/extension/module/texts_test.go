package module

import (
	"strings"
	"testing"

	"assay.dev/k6/runstate"
	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib"
)

// idle is a virtual user in its init context.
type idle struct {
	modules.VU
	runtime *sobek.Runtime
}

func (u idle) Runtime() *sobek.Runtime          { return u.runtime }
func (u idle) InitEnv() *common.InitEnvironment { return nil }
func (u idle) State() *lib.State                { return nil }

// user is a virtual user of a run, with the module's names as globals.
func user(t *testing.T, r *runstate.Run) (*Instance, *sobek.Runtime) {
	t.Helper()
	js := sobek.New()
	instance := New(r).NewModuleInstance(idle{runtime: js}).(*Instance)
	for name, value := range instance.Exports().Named {
		if err := js.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	return instance, js
}

func evaluate(t *testing.T, js *sobek.Runtime, script string) sobek.Value {
	t.Helper()
	value, err := js.RunString(script)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestTextsAreMadeOnceAProcess(t *testing.T) {
	shared := runstate.New()
	const script = `var made = 0; var texts = new Texts("%", () => { made += 1; return ["é", "b"]; }); texts`
	for index, wanted := range []int64{1, 0} {
		instance, js := user(t, shared)
		all, err := instance.textsOf(evaluate(t, js, script))
		if err != nil || len(all) != 2 || all[0] != "é" || all[1] != "b" {
			t.Fatalf("virtual user %d has the texts %q, %v", index+1, all, err)
		}
		if made := js.Get("made").ToInteger(); made != wanted {
			t.Errorf("virtual user %d made them %d times", index+1, made)
		}
	}
}

func TestTextsThatCannotBeMadeAreAnError(t *testing.T) {
	shared := runstate.New()
	_, js := user(t, shared)
	for script, wanted := range map[string]string{
		`new Texts("a")`: "not a function",
		`new Texts("a", () => { throw new Error("no such file"); })`: "no such file",
		`new Texts("a", () => 7)`:                                    "cannot create Texts",
		`new Endpoint({ op: "chat", method: "POST", url: "http://host/", expect: { status: 200 } }, [1])`: "is not a Texts",
	} {
		if _, err := js.RunString(script); err == nil || !strings.Contains(err.Error(), wanted) {
			t.Errorf("%s: %v", script, err)
		}
	}
	if _, err := js.RunString(`new Texts("a", () => ["x"])`); err != nil {
		t.Errorf("after that it cannot be made any more: %v", err)
	}
}

func TestABodyIsATextOrPartsOfOne(t *testing.T) {
	instance, js := user(t, runstate.New())
	e := &endpoint{user: instance, texts: []string{"zero", "één"}}
	for script, wanted := range map[string]string{
		`"plain ü"`:                              "plain ü",
		`[]`:                                     "",
		`["{", 1, "," + "\ud83d\ude42", 0, "}"]`: "{één,🙂zero}",
	} {
		if body, err := e.bodyOf(evaluate(t, js, script)); err != nil || string(body) != wanted {
			t.Errorf("%s is %q, %v", script, body, err)
		}
	}
	for script, wanted := range map[string]string{
		`[0, 2]`:      "part 2 of its body is text 2, and there are 2",
		`[-1]`:        "part 1 of its body is text -1",
		`[0.5]`:       "neither a text nor the index of one",
		`["a", null]`: "part 2 of its body is missing",
		`[,]`:         "part 1 of its body is missing",
	} {
		if body, err := e.bodyOf(evaluate(t, js, script)); err == nil || !strings.Contains(err.Error(), wanted) {
			t.Errorf("%s is %q, %v", script, body, err)
		}
	}
}
