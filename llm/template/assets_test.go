package template

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// now is the time of scripts/assets/render.py.
var now = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// conversations are the variables that templates are rendered with, as JSON.
var conversations = []string{
	`{"messages":[{"role":"user","content":"Hello"}],"add_generation_prompt":true,"bos_token":"<s>","eos_token":"</s>"}`,
	`{"messages":[{"role":"system","content":" Be brief. "},{"role":"user","content":"What is 2+2?"},{"role":"assistant","content":"4\n"},
	  {"role":"user","content":"Thanks, \"friend\" é 日本"}],"add_generation_prompt":true,"bos_token":"<s>","eos_token":"</s>"}`,
	`{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"<think>\nhm\n</think>\n\nHello!"}],
	  "add_generation_prompt":false,
	  "bos_token":"<s>","eos_token":"</s>"}`,
	`{"messages":[{"role":"user","content":"Weather in Paris?"},
	  {"role":"assistant","content":"","tool_calls":[{"type":"function","id":"abcdefghi","function":
	  {"name":"get_weather","arguments":{"city":"Paris","days":2,"exact":true,"ratio":0.5,"none":null}}}]},
	  {"role":"tool","name":"get_weather","tool_call_id":"abcdefghi","content":"{\"temp\": 21}"}],
	  "tools":[{"type":"function","function":{"name":"get_weather","description":"The weather of a city","parameters":{"type":"object",
	  "properties":{"city":{"type":"string","description":"A city"},"days":{"type":"integer"},
	  "list":{"type":"array","items":{"type":"string"}}},
	  "required":["city"]}}}],"add_generation_prompt":true,"bos_token":"<s>","eos_token":"</s>"}`,
	`{"messages":[{"role":"system","content":"S"},{"role":"user","content":[{"type":"text","text":"Look at "},{"type":"image","image":"x"},
	  {"type":"text","text":"this"}]}],"add_generation_prompt":true,"bos_token":"<s>","eos_token":"</s>","enable_thinking":false}`,
	`{"messages":[{"role":"user","content":"A"},{"role":"user","content":"B"}],"add_generation_prompt":true,"bos_token":"","eos_token":"",
	  "enable_thinking":true,"tools":null,"documents":[{"title":"T","text":"D"}]}`,
	`{"messages":[],"add_generation_prompt":true}`,
}

// TestAssets compares real templates with transformers. It needs the files of scripts/assets/fetch.py in LUCID_ASSETS and a
// Python with transformers in LUCID_PYTHON.
func TestAssets(t *testing.T) {
	dir, python := os.Getenv("LUCID_ASSETS"), os.Getenv("LUCID_PYTHON")
	if dir == "" || python == "" {
		t.Skip("LUCID_ASSETS and LUCID_PYTHON are not set; see scripts/assets/fetch.py")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "llama.cpp", "templates", "*.jinja"))
	type testCase struct {
		Template string          `json:"template"`
		Vars     json.RawMessage `json:"vars"`
		file     string
	}
	var cases []testCase
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, vars := range conversations {
			cases = append(cases, testCase{string(source), json.RawMessage(vars), filepath.Base(file)})
		}
	}
	in, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "../../scripts/assets/render.py")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []struct{ Text, Error *string }
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	same, raised, bad := 0, 0, 0
	for i, c := range cases {
		got, err := render(c.Template, string(c.Vars))
		switch w := want[i]; {
		case w.Error != nil && err != nil:
			raised++
		case w.Error != nil:
			bad++
			t.Logf("%s: rendered, want the error %s", c.file, *w.Error)
		case err != nil:
			bad++
			t.Errorf("%s, conversation %d: %v", c.file, i%len(conversations), err)
		case got != *w.Text:
			bad++
			at := 0
			for at < len(got) && at < len(*w.Text) && got[at] == (*w.Text)[at] {
				at++
			}
			from := max(0, at-40)
			t.Errorf("%s, conversation %d: at byte %d\ngot  %.120q\nwant %.120q", c.file, i%len(conversations), at, got[from:],
				(*w.Text)[from:])
		default:
			same++
		}
	}
	t.Logf("%d templates: %d renderings equal, %d raise in both, %d differ", len(files), same, raised, bad)
}

func render(source, vars string) (string, error) {
	t, err := Parse(source)
	if err != nil {
		return "", err
	}
	v, err := FromJSON([]byte(vars))
	if err != nil {
		return "", err
	}
	all := map[string]any{}
	d := v.(*Dict)
	for _, k := range d.Keys() {
		all[k], _ = d.Get(k)
	}
	return t.Render(all, Options{Now: now})
}
