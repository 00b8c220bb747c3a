package module

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"assay.dev/k6/runstate"
	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/fsext"
	"go.k6.io/k6/v2/metrics"
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

// inInit is a virtual user in its init context, which can open files.
type inInit struct {
	idle
	env *common.InitEnvironment
}

func (u inInit) InitEnv() *common.InitEnvironment { return u.env }

func TestPromptsAreReadFromTheFileThatK6Opens(t *testing.T) {
	files := fsext.NewMemMapFs()
	if err := fsext.WriteFile(files, "/scripts/p.jsonl", []byte("{\"prompt\":\"é\"}\n{\"input\":\"abc\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	js := sobek.New()
	state := &lib.TestPreInitState{Registry: metrics.NewRegistry()}
	env := &common.InitEnvironment{TestPreInitState: state, FileSystems: map[string]fsext.Fs{"file": files}, CWD: &url.URL{Path: "/scripts"}}
	instance := New(runstate.New()).NewModuleInstance(inInit{idle{runtime: js}, env})
	if err := js.Set("Prompts", instance.Exports().Named["Prompts"]); err != nil {
		t.Fatal(err)
	}
	for script, want := range map[string]string{
		`new Prompts("./p.jsonl").length`:                "2",
		`new Prompts("./p.jsonl").messages(0)`:           `[{"role":"user","content":"é"}]`,
		`new Prompts("p.jsonl").text(1)`:                 `"abc"`,
		`new Prompts("p.jsonl").text(1, undefined, 2)`:   `"ab"`,
		`new Prompts("p.jsonl").turns(0).join(" then ")`: `{"role":"user","content":"é"}`,
		`new Prompts("p.jsonl").messages(0, 4294967295)`: `[{"role":"user","content":"4294967295 é"}]`,
		`new Prompts("p.jsonl").text(1, 42)`:             `"0000000042 abc"`,
		`new Prompts("p.jsonl").text(1, 42, 13)`:         `"0000000042 ab"`,
		`new Prompts("p.jsonl").turns(0, 0).join()`:      `{"role":"user","content":"0000000000 é"}`,
	} {
		if got := evaluate(t, js, script).String(); got != want {
			t.Errorf("%s is %s, want %s", script, got, want)
		}
	}
	for script, want := range map[string]string{
		`new Prompts("none.jsonl")`:      "cannot open the prompts none.jsonl",
		`new Prompts("p.jsonl").text(2)`: "there are 2",
	} {
		if _, err := js.RunString(script); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", script, err)
		}
	}
}

func TestWordsAreMadeOnceAProcess(t *testing.T) {
	shared := runstate.New()
	const script = `var made = 0; new Words(() => { made += 1; return { words: ["a"], charactersPerToken: 2 }; }).text(3, 1, 2)`
	for index, wanted := range []int64{1, 0} {
		_, js := user(t, shared)
		js.SetFieldNameMapper(common.FieldNameMapper{}) // as k6 does
		if text := evaluate(t, js, script).String(); text != "a a a." {
			t.Errorf("virtual user %d has the text %q", index+1, text)
		}
		if made := js.Get("made").ToInteger(); made != wanted {
			t.Errorf("virtual user %d made them %d times", index+1, made)
		}
	}
	for script, wanted := range map[string]string{
		`new Words()`: "not a function",
		`new Words(() => { throw new Error("no such file"); })`: "no such file",
		`new Words(() => ({ words: [] }))`:                      "there are no words",
	} {
		_, js := user(t, runstate.New())
		if _, err := js.RunString(script); err == nil || !strings.Contains(err.Error(), wanted) {
			t.Errorf("%s: %v", script, err)
		}
	}
}

func TestABodyIsATextOrPartsOfOne(t *testing.T) {
	instance, js := user(t, runstate.New())
	e := &endpoint{user: instance}
	for script, wanted := range map[string]string{
		`"plain ü"`: "plain ü",
		`[]`:        "",
		`["{", "één", "," + "\ud83d\ude42", "}"]`: "{één,🙂}",
	} {
		if body, _, err := e.bodyOf(evaluate(t, js, script)); err != nil || string(body) != wanted {
			t.Errorf("%s is %q, %v", script, body, err)
		}
	}
	for script, wanted := range map[string]string{
		`["a", 2]`:    "part 2 of its body is 2, which is no text",
		`["a", null]`: "part 2 of its body is missing",
		`[,]`:         "part 1 of its body is missing",
	} {
		if body, _, err := e.bodyOf(evaluate(t, js, script)); err == nil || !strings.Contains(err.Error(), wanted) {
			t.Errorf("%s is %q, %v", script, body, err)
		}
	}
}

func TestCallsWithTheSameInputHaveOneDigest(t *testing.T) {
	instance, js := user(t, runstate.New())
	e := &endpoint{user: instance}
	of := func(script string) uint64 {
		_, digests, err := e.bodyOf(evaluate(t, js, script))
		if err != nil {
			t.Fatal(err)
		}
		return digests.whole
	}
	same := of(`["{messages:", "[hello]", ",max_tokens:1}"]`)
	if other := of(`["{messages:", "[hello]", ",max_tokens:200}"]`); other != same {
		t.Errorf("another limit of the response has the digest %d, not %d", other, same)
	}
	seen := map[uint64]string{same: "the first"}
	for _, script := range []string{
		`["{messages:", "[hellp]", ",max_tokens:1}"]`, `["{model:", "[hello]", "}"]`, `["", "[hello]", "}"]`, `["a", "b"]`, `"hello"`, `"hello\0"`,
	} {
		digest := of(script)
		if before, known := seen[digest]; known || digest == 0 || digest >= 1<<digestBits {
			t.Errorf("%s has the digest %d, as has %q", script, digest, before)
		}
		seen[digest] = script
	}
	if none := of(`[]`); none != 0 {
		t.Errorf("no body has the digest %d", none)
	}
}

func TestCallsThatBeginAlikeHaveOneDigestOfTheirBeginning(t *testing.T) {
	instance, js := user(t, runstate.New())
	e := &endpoint{user: instance}
	long := strings.Repeat("x", prefixBytes)
	of := func(head, input string) digests {
		_, digests, err := e.bodyOf(evaluate(t, js, fmt.Sprintf("[%q, %q, 'end']", head, input)))
		if err != nil {
			t.Fatal(err)
		}
		return digests
	}
	first := of("model", long+"a")
	if other := of("model", long+"b"); other.prefix != first.prefix || other.whole == first.whole {
		t.Errorf("what begins like %v has %v", first, other)
	}
	for _, other := range []digests{of("other", long+"a"), of("model", "y"+long), of("model", long[1:])} {
		if other.prefix == first.prefix {
			t.Errorf("what begins otherwise has %v, too", other)
		}
	}
	if short := of("model", "a"); short.prefix != short.whole {
		t.Errorf("of a short input: %v", short)
	}
}

func TestDigestsOfMuchDifferAlsoByOneByte(t *testing.T) {
	seen := map[uint64]bool{}
	for length := range 64 {
		for at := range length {
			input := make([]byte, length)
			input[at] = 1
			seen[digest(input)] = true
		}
	}
	if want := 64 * 63 / 2; len(seen) != want {
		t.Errorf("%d inputs have %d digests", want, len(seen))
	}
}

func BenchmarkDigestOfAThousandBytes(b *testing.B) {
	input := []byte(strings.Repeat("abcdefghij", 100))
	for b.Loop() {
		digest(input)
	}
}
