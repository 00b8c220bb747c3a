package prompts

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// cases reads cases that the extension and the scenarios share.
func cases[T any](t *testing.T, name string) (all []T) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "scenarios", "testdata", name))
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

type said struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type promptCase struct {
	Messages []said
	Text     string
	Turns    [][]said
}

func index(text string) (*File, error) {
	return Index("f", strings.NewReader(text), int64(len(text)))
}

func TestFilesAreReadAsTheSharedCasesSay(t *testing.T) {
	for _, tt := range cases[struct {
		Name, File, Problem string
		Prompts             []promptCase
	}](t, "prompt-files.json") {
		t.Run(tt.Name, func(t *testing.T) {
			file, err := index(tt.File)
			if tt.Problem != "" {
				// A quoted character stands in single quotes here.
				got := strings.ReplaceAll(fmt.Sprint(err), "'", `"`)
				if err == nil || !strings.Contains(got, tt.Problem) {
					t.Fatalf("got %v, want %s", err, tt.Problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []promptCase
			for n := range file.Len() {
				got = append(got, read(t, file, n))
			}
			if !reflect.DeepEqual(got, tt.Prompts) {
				t.Errorf("got\n%v, want\n%v", got, tt.Prompts)
			}
		})
	}
}

func read(t *testing.T, file *File, n int) (p promptCase) {
	t.Helper()
	messages, err := file.Messages(n, "")
	text, textErr := file.Text(n, 0, "")
	turns, turnsErr := file.Turns(n, "")
	if err != nil || textErr != nil || turnsErr != nil {
		t.Fatal(err, textErr, turnsErr)
	}
	for written, into := range map[string]any{
		messages: &p.Messages, text: &p.Text, "[[" + strings.Join(turns, "],[") + "]]": &p.Turns,
	} {
		if err := json.Unmarshal([]byte(written), into); err != nil {
			t.Fatalf("%s: %v", written, err)
		}
	}
	return p
}

func TestATextIsCutBetweenCharacters(t *testing.T) {
	file, err := index("a\U0001F642é\nb")
	if err != nil {
		t.Fatal(err)
	}
	for most, want := range map[int]string{1: `"a"`, 2: `"a🙂"`, 3: `"a🙂é"`, 0: `"a🙂é"`} {
		if got, err := file.Text(0, most, ""); err != nil || got != want {
			t.Errorf("%d characters are %s, %v", most, got, err)
		}
	}
	if _, err := file.Messages(2, ""); err == nil || !strings.Contains(err.Error(), "there are 2") {
		t.Errorf("a prompt that there is not: %v", err)
	}
}

func TestTextsAreWrittenAsJSONStringifyDoes(t *testing.T) {
	for text, want := range map[string]string{
		"a\"b\\c/\b\f\n\r\t\x00\x1f\x7f é\u2028": `"a\"b\\c/\b\f\n\r\t\u0000\u001f` + "\x7f é\u2028\"", "\xff": "\"\uFFFD\"",
	} {
		if got := string(appendJSON(nil, text)); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

// lines is a file of n lines of about a kilobyte, which is nowhere in memory.
type lines int64

const lineLength = 1024

func (l lines) ReadAt(p []byte, at int64) (int, error) {
	for n := range p {
		line, column := (at+int64(n))/lineLength, (at+int64(n))%lineLength
		text := fmt.Sprintf(`{"prompt":"%08d`, line)
		switch {
		case column < int64(len(text)):
			p[n] = text[column]
		case column < lineLength-3:
			p[n] = 'x'
		default:
			p[n] = "\"}\n"[column-lineLength+3]
		}
	}
	return len(p), nil
}

func TestTheMemoryForAFileIsASmallPartOfIt(t *testing.T) {
	const count = 4_000
	before := heap()
	file, err := Index("f", lines(count), count*lineLength)
	if err != nil || file.Len() != count {
		t.Fatal(err)
	}
	if grown, size := heap()-before, int64(count*lineLength); grown > size/20 {
		t.Errorf("%d bytes for a file of %d", grown, size)
	}
	if text, err := file.Text(count-1, 8, ""); err != nil || text != `"00003999"` {
		t.Errorf("the last prompt is %s, %v", text, err)
	}
	runtime.KeepAlive(file)
}

func heap() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

func TestAnEntryThatIsTooLongIsNamed(t *testing.T) {
	for _, tt := range cases[struct {
		Name, Start, Repeated, End, Problem string
		Times                               int
	}](t, "long-entries.json") {
		_, err := index(tt.Start + strings.Repeat(tt.Repeated, tt.Times) + tt.End)
		if (err == nil) != (tt.Problem == "") || err != nil && !strings.Contains(err.Error(), tt.Problem) {
			t.Errorf("%s: %v", tt.Name, err)
		}
	}
}

func FuzzIndex(f *testing.F) {
	for _, text := range []string{`{"prompt":"a"}`, "[{\"input\":[\"a\"]}]", "a\nb", `{"conversations":[{"from":"human","value":"é"}]}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := index(text)
		if err != nil {
			return
		}
		for n := range file.Len() {
			messages, err := file.Messages(n, "")
			if err != nil || !json.Valid([]byte(messages)) {
				t.Errorf("prompt %d of %q is %q, %v", n, text, messages, err)
			}
		}
	})
}

func TestTurnsMayStateTheirDelays(t *testing.T) {
	text := `{"messages":[{"role":"user","content":"a"},{"role":"system","content":"s","delay":7},{"role":"user","content":"b","delay":500.5},{"role":"user","content":"c","delay":-1}]}` + "\n" + `{"prompt":"a"}`
	file, err := index(text)
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range [][]float64{{0, 500.5, 0}, {0}} {
		if got, err := file.Delays(n); err != nil || !slices.Equal(got, want) {
			t.Errorf("prompt %d: got %v (%v), want %v", n, got, err, want)
		}
	}
}

func TestASingleRequestEndsBeforeATurnThatWaitsForAResponse(t *testing.T) {
	file, err := index(`{"messages":[{"role":"system","content":"s"},{"role":"user","content":"a"},{"role":"user","content":"b","waits":true}]}`)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := file.Messages(0, ""); err != nil || strings.Contains(got, "b") || !strings.Contains(got, "a") {
		t.Errorf("got the messages %s, %v", got, err)
	}
	if got, err := file.Text(0, 0, ""); err != nil || got != `"a"` {
		t.Errorf("got the text %s, %v", got, err)
	}
	if turns, err := file.Turns(0, ""); err != nil || len(turns) != 2 {
		t.Errorf("got the turns %v, %v", turns, err)
	}
}
