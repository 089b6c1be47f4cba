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
	`{"messages":[{"role":"system","content":""},{"role":"user","content":"Two cities"},{"role":"assistant","content":"I look them up.",
	  "tool_calls":[{"type":"function","id":"aaaaaaaaa","function":{"name":"get_weather","arguments":{"city":"Oslo"}}},
	  {"type":"function","id":"bbbbbbbbb","function":{"name":"get_time","arguments":{}}}]},
	  {"role":"tool","name":"get_weather","tool_call_id":"aaaaaaaaa","content":"3"},
	  {"role":"tool","name":"get_time","tool_call_id":"bbbbbbbbb","content":"noon"},
	  {"role":"assistant","content":"Cold at noon."},{"role":"user","content":"And now?"}],
	  "tools":[{"type":"function","function":{"name":"get_weather","description":"W","parameters":{"type":"object",
	  "properties":{"city":{"type":"string","enum":["Oslo","Rome"]}},"required":["city"]}}},
	  {"type":"function","function":{"name":"get_time","description":"T","parameters":{"type":"object","properties":{}}}}],
	  "add_generation_prompt":true,"bos_token":"<s>","eos_token":"</s>","date_string":"1 Jan 2026"}`,
	`{"messages":[{"role":"developer","content":"Rules"},{"role":"user","content":"  spaced  \n\n"},{"role":"assistant",
	  "content":"yes","reasoning_content":"because"},{"role":"user","content":"why?"}],"add_generation_prompt":true,
	  "bos_token":"<bos>","eos_token":"<eos>","reasoning_effort":"high","enable_thinking":true}`,
	`{"messages":[{"role":"user","content":"1"},{"role":"assistant","content":"2"},{"role":"user","content":"3"},
	  {"role":"assistant","content":"4"},{"role":"user","content":"5"},{"role":"assistant","content":"6 <tool_call> </think> {{ x }}"}],
	  "add_generation_prompt":false,"bos_token":"<s>","eos_token":"</s>","continue_final_message":true}`,
	`{"messages":[{"role":"system","content":[{"type":"text","text":"Parts"}]},{"role":"user","content":[{"type":"text","text":"one"},
	  {"type":"text","text":"two"}]},{"role":"assistant","content":[{"type":"text","text":"three"}]},{"role":"user","content":"four"}],
	  "add_generation_prompt":true,"bos_token":"<s>","eos_token":"</s>","tools":[]}`,
	`{"messages":[{"role":"user","content":"Café ☕ ﷽ \u0000 \t <|im_end|> </s>"},{"role":"assistant","content":null,"tool_calls":[
	  {"type":"function","id":"ccccccccc","function":{"name":"note","arguments":"{\"text\": \"ü\"}"}}]}],
	  "add_generation_prompt":true,"bos_token":"<s>","eos_token":"</s>","custom":{"a":[1,2.5,true,null]}}`,
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
