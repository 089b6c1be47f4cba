package llm

import (
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
)

// The parts of real templates by which the form of calls is known.
var toolTemplates = map[string]string{
	"hermes": "{% if tools %}<tools>{% for t in tools %}{{ t | tojson }}{% endfor %}</tools> answer as <tool_call>{% endif %}" +
		"{% for m in messages %}{{ m.role }}:{% if m.content %}{{ m.content }}{% endif %}" +
		"{% for c in m.tool_calls or [] %}<tool_call>\n{\"name\": \"{{ c.function.name }}\", \"arguments\": " +
		"{{ c.function.arguments | tojson }}}\n</tool_call>{% endfor %}" +
		"{% if m.tool_call_id %}[{{ m.tool_call_id }}]{% endif %}{{ '\n' }}{% endfor %}",
	"mistral": "{% if tools %}[AVAILABLE_TOOLS]{{ tools | tojson }}{% endif %}" +
		"{% for m in messages %}{{ m.content }}[TOOL_CALLS]{% endfor %}",
	"named": "{% if tools %}[AVAILABLE_TOOLS]{{ tools | tojson }}{% endif %}{% for m in messages %}{{ m.content }}[TOOL_CALLS]f[ARGS]" +
		"{% endfor %}",
	"llama3": "<|start_header_id|>{% if tools %}{{ tools | tojson }} use \"parameters\"{% endif %}" +
		"{% for m in messages %}{{ m.content }}{% endfor %}",
}

var weather = Tool{Name: "weather", Description: "of a city", Parameters: json.RawMessage(
	`{"type": "object", "properties": {"city": {"enum": ["Oslo", "Rome"]}, "days": {"type": "integer"}}, "required": ["city"]}`)}

var clock = Tool{Name: "clock"}

// withTemplate is the tiny model with a chat template, and special tokens in place of the last ids of the vocabulary.
func withTemplate(t testing.TB, source string, special ...string) *Model {
	t.Helper()
	c := goldens(t).Cases["llama"]
	c.Config = maps.Clone(c.Config)
	c.Config["max_position_embeddings"] = 1024
	dir := folder(t, c)
	tok := byteTokenizer()
	vocab, added := tok["model"].(map[string]any)["vocab"].(map[string]int), []any{}
	for i, text := range special {
		id := 1 + i // control bytes, which no test needs
		for name, old := range vocab {
			if old == id {
				delete(vocab, name)
			}
		}
		added = append(added, map[string]any{"id": id, "content": text, "special": true, "normalized": false})
	}
	tok["added_tokens"] = added
	writeJSON(t, filepath.Join(dir, "tokenizer.json"), tok)
	writeJSON(t, filepath.Join(dir, "tokenizer_config.json"), map[string]any{"chat_template": source})
	m, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// read gives an answer to a reader in pieces of some size and returns its text and its calls.
func read(f *ToolFormat, answer string, size int) (text string, calls []ToolCall) {
	r := f.Reader()
	for from := 0; ; from += size {
		to := min(from+size, len(answer))
		d := r.Next(answer[from:to], to == len(answer))
		text += d.Text
		for _, c := range d.Calls {
			if c.Index == len(calls) {
				calls = append(calls, ToolCall{c.ID, c.Name, ""})
			}
			calls[c.Index].Arguments += c.Arguments
		}
		if to == len(answer) {
			return text, calls
		}
	}
}

// TestToolReader asserts that calls are found in what models of each form write, however it is cut into pieces.
func TestToolReader(t *testing.T) {
	for _, c := range []struct {
		form, answer, text, calls string
	}{
		{"hermes", "Hello.", "Hello.", ""},
		{"hermes", "Let me see.<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>", "Let me see.",
			`weather{"city": "Oslo"}`},
		{"hermes", "<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"a}\\\"{\"}}\n</tool_call>\n<tool_call>\n" +
			"{\"arguments\": {}, \"name\": \"clock\"}\n</tool_call>", "", `weather{"city": "a}\"{"} clock{}`},
		{"hermes", "<tool_call>{\"name\":\"weather\",\"arguments\":{}}</tool_call> and so", "and so", "weather{}"},
		{"hermes", "<tool_call>\n{\"name\": \"other\", \"arguments\": {}}\n</tool_call>",
			"<tool_call>\n{\"name\": \"other\", \"arguments\": {}}\n</tool_call>", ""},
		{"hermes", "a <tool_call> b", "a <tool_call> b", ""},
		{"hermes", "a < b <tool", "a < b <tool", ""},
		{"hermes", "<tool_call>{\"name\": \"clock\", \"arguments\": \"{\\\"a\\\": 1}\"}", "", `clock{"a": 1}`},
		{"hermes", "<tool_call>{\"name\": \"clock\", \"arguments\": {\"a\": ", "", `clock{"a": `},
		{"hermes", "<tool_call>{\"name\": \"clo", "<tool_call>{\"name\": \"clo", ""},
		{"mistral", `[TOOL_CALLS][{"name": "weather", "arguments": {"city": "Rome", "x": [1, {}]}, "id": "abc"}, {"name": "clock", ` +
			`"arguments": {}}]`, "", `weather{"city": "Rome", "x": [1, {}]} clock{}`},
		{"mistral", `[TOOL_CALLS]weather[ARGS]{"city": "Rome"}`, "", `weather{"city": "Rome"}`},
		{"mistral", `[TOOL_CALLS] [ {"name": "clock", "arguments": {}} ]`, "", `clock{}`},
		{"mistral", `[TOOL_CALLS][]`, `[TOOL_CALLS][]`, ``},
		{"mistral", `[TOOL] [TOOL_CALLS`, `[TOOL] [TOOL_CALLS`, ``},
		{"named", `text[TOOL_CALLS]weather[ARGS]{"city": "Rome"}[TOOL_CALLS]clock[CALL_ID]123[ARGS]{}`, "text",
			`weather{"city": "Rome"} clock{}`},
		{"named", `[TOOL_CALLS]none[ARGS]{}`, `[TOOL_CALLS]none[ARGS]{}`, ``},
		{"llama3", `{"name": "weather", "parameters": {"city": "Oslo"}}`, "", `weather{"city": "Oslo"}`},
		{"llama3", `<|python_tag|>{"type": "function", "name": "weather", "parameters": {"city": "Oslo"}}; {"name": "clock", ` +
			`"parameters": {}}`, "", `weather{"city": "Oslo"} clock{}`},
		{"llama3", ` {"answer": 42}`, ` {"answer": 42}`, ``},
		{"llama3", `The object {"name": "clock", "parameters": {}} is text.`,
			`The object {"name": "clock", "parameters": {}} is text.`, ``},
		{"llama3", `<|python_tag|>print(1)`, `<|python_tag|>print(1)`, ``},
	} {
		f, err := withTemplate(t, toolTemplates[c.form]).ToolFormat(ToolUse{Tools: []Tool{weather, clock}})
		if err != nil {
			t.Fatal(err)
		}
		for size := 1; size <= len(c.answer); size++ {
			text, calls := read(f, c.answer, size)
			var got []string
			for _, call := range calls {
				if got = append(got, call.Name+call.Arguments); len(call.ID) < 9 {
					t.Errorf("a call has the id %q", call.ID)
				}
			}
			want := strings.TrimSuffix(c.text, "\n</tool_call>")
			if strings.TrimSuffix(text, "\n</tool_call>") != want || strings.Join(got, " ") != c.calls {
				t.Errorf("%s, pieces of %d, %q: text %q, calls %q", c.form, size, c.answer, text, got)
				break
			}
		}
	}
	f, _ := withTemplate(t, toolTemplates["hermes"]).ToolFormat(ToolUse{Tools: []Tool{clock}, Single: true})
	one := `<tool_call>{"name": "clock", "arguments": {}}</tool_call>`
	if _, calls := read(f, one+one, 5); len(calls) != 1 {
		t.Errorf("calls %v, want one", calls)
	}
}

// TestToolsRequired asserts that a model without a thought of its own calls tools as their schemas allow, if it must, in every form.
func TestToolsRequired(t *testing.T) {
	for name, source := range toolTemplates {
		m := withTemplate(t, source, "[TOOL_CALLS]", "[ARGS]", "<|python_tag|>", "<tool_call>")
		for seed := range uint64(4) {
			use := ToolUse{Tools: []Tool{weather, clock}, Required: true, Single: seed%2 == 0}
			if seed > 2 {
				use.Name = "clock"
			}
			f, err := m.ToolFormat(use)
			if err != nil {
				t.Fatal(err)
			}
			o := Options{Temperature: 1, Seed: seed, MaxTokens: 120}
			if err := f.Apply(&o); err != nil {
				t.Fatal(err)
			}
			ids, err := f.PromptIDs(m, []Message{{Role: "user", Content: "hi"}}, true, use.Tools)
			if err != nil {
				t.Fatal(err)
			}
			answer := ""
			finish := ""
			for tok, err := range m.GenerateIDs(t.Context(), ids, o) {
				if err != nil {
					t.Fatal(err)
				}
				answer += tok.Text
				finish = tok.Finish
			}
			text, calls := read(f, answer, 3)
			if strings.TrimSpace(text) != "" || len(calls) == 0 || use.Single && len(calls) > 1 {
				t.Errorf("%s, seed %d: text %q, calls %v of %q", name, seed, text, calls, answer)
			}
			for i, c := range calls {
				var args struct {
					City string
					Days *int
				}
				err := json.Unmarshal([]byte(c.Arguments), &args)
				if i == len(calls)-1 && finish == "length" {
					continue
				}
				if err != nil || c.Name == "weather" && args.City != "Oslo" && args.City != "Rome" || use.Name != "" && c.Name != use.Name {
					t.Errorf("%s, seed %d: %+v, %v", name, seed, c, err)
				}
			}
		}
	}
}

// TestToolPrompt asserts what templates are given, and that special tokens in tools are plain text, escaped or not.
func TestToolPrompt(t *testing.T) {
	m := withTemplate(t, toolTemplates["hermes"], "<end>")
	chat := []Message{{Role: "user", Content: "hi"},
		{Role: "assistant", ToolCalls: []ToolCall{{ID: "1", Name: "weather", Arguments: `{"city": "Oslo", "a": [1, null]}`}}},
		{Role: "tool", Content: "cold", ToolCallID: "1"}}
	got, err := m.Prompt(chat, clock)
	want := `<tools>{"type": "function", "function": {"name": "clock", "description": "", "parameters": {"type": "object", ` +
		`"properties": {}}}}</tools> answer as <tool_call>user:hi` + "\nassistant:<tool_call>\n" +
		`{"name": "weather", "arguments": {"city": "Oslo", "a": [1, null]}}` + "\n</tool_call>\ntool:cold[1]\n"
	if err != nil || got != want {
		t.Errorf("%q, want %q, %v", got, want, err)
	}
	chat[1].ToolCalls[0].Arguments = `{"a": "<end>\u003cend\u003e\\\u003cend>"}`
	ids, err := m.ChatIDs(chat, true, Tool{Name: "f", Parameters: json.RawMessage(`{"description": "<\u0065nd>"}`)})
	if err != nil || strings.Contains(m.Tokenizer().Decode(ids), "\x01") {
		t.Error(err)
	}
	for _, id := range ids {
		if id == 1 {
			t.Errorf("a special token in %q", m.Tokenizer().Decode(ids))
		}
	}
	if text := m.Tokenizer().Decode(ids); !strings.Contains(text, `{"a": "<end><end>\\<end>"}`) ||
		!strings.Contains(text, `"description": "<end>"`) {
		t.Errorf("%q", text)
	}
	// A template that cannot do without a text is given an empty one.
	strict := withTemplate(t, "{% for m in messages %}{{ m.content | trim | length }}{{ 'x' in m.content }}{% endfor %}")
	if text, err := strict.Prompt(chat); err != nil || text != "2False0False4False" {
		t.Errorf("%q %v", text, err)
	}
	chat[1].ToolCalls[0].Arguments = "{"
	if _, err := m.ChatIDs(chat, true); !errors.Is(err, lucid.ErrFormat) {
		t.Errorf("arguments that are no JSON: %v", err)
	}
}

func TestToolsRefused(t *testing.T) {
	for source, use := range map[string]ToolUse{
		"{{ messages }}":                     {Tools: []Tool{clock}},
		"{{ tools }}":                        {Tools: []Tool{clock}},
		"{{ tools }}<tool_call><parameters>": {Tools: []Tool{clock}},
		// Calls in a form that only looks like a known one.
		"{{ tools }}{% for m in messages %}{% for c in m.tool_calls or [] %}<tool_call>" +
			"{{ c.function.name }}: {{ c.function.arguments.key }}" +
			"</tool_call>{% endfor %}{% endfor %}": {Tools: []Tool{clock}},
		"{{ tools }}<tool_call>":               {},
		"{{ tools }}<tool_call> ":              {Tools: []Tool{clock, clock}},
		"{{ tools }}<tool_call>  ":             {Tools: []Tool{clock}, Name: "other"},
		"{{ tools }}<tool_call>   ":            {Tools: []Tool{{}}},
		"{{ tools }}<tool_call>{{ messages }}": {Tools: []Tool{{Name: "f", Parameters: json.RawMessage(`[]`)}}, Required: true},
		"{{ tools }}<tool_call>{{ messages }} ": {Required: true,
			Tools: []Tool{{Name: "f", Parameters: json.RawMessage(`{"type": "null"}`)}}},
		"{{ tools }}<tool_call>{{ messages }}  ": {Tools: []Tool{{Name: "f", Strict: true,
			Parameters: json.RawMessage(`{"type": "object", "not": {}}`)}}},
	} {
		if f, err := withTemplate(t, source).ToolFormat(use); err == nil {
			t.Errorf("%q, %+v: %+v", source, use, f)
		}
	}
}

// TestGrammarAfter asserts that a grammar begins behind a text, that what is before it is free, and that it ends where it is complete.
func TestGrammarAfter(t *testing.T) {
	m := withTemplate(t, toolTemplates["hermes"])
	strict := clock
	strict.Strict = true
	f, err := m.ToolFormat(ToolUse{Tools: []Tool{strict}})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Temperature: 1, MaxTokens: 170}
	if err := f.Apply(&o); err != nil {
		t.Fatal(err)
	}
	// The model is made to write the opening mark at its 5th token, and again later.
	mark := "<tool_call>"
	o.Processors = []func(ids []int, logits []float32){func(ids []int, logits []float32) {
		if n := (len(ids) - 4) % 70; n >= 5 && n < 5+len(mark) {
			logits[mark[n-5]] = 1e9
		}
	}}
	text := ""
	for tok, err := range m.GenerateIDs(t.Context(), []int{'a', 'b', 'c', 'd'}, o) {
		if err != nil {
			t.Fatal(err)
		}
		text += tok.Text
	}
	call := "<tool_call>\n{\"name\": \"clock\", \"arguments\": {}}\n</tool_call>"
	if n := strings.Count(strings.ReplaceAll(text, "{ }", "{}"), call); n != 2 {
		t.Errorf("%d calls in %q", n, text)
	}
	if err := f.Apply(&o); err == nil {
		t.Error("two grammars")
	}
}

// TestToolReaderPieces asserts, over random answers made of parts of calls, that what is found does not depend on how they are cut, that
// nothing panics, and that text without the marks of calls comes out as it is.
func TestToolReaderPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	parts := []string{"<tool_call>", "</tool_call>", "[TOOL_CALLS]", "[ARGS]", "<|python_tag|>", "{", "}", "[", "]", `"name"`, ": ",
		`"clock"`,
		`"arguments"`, `"parameters"`, ", ", "\n", "clock", `{"name": "clock", "arguments": {}}`,
		`{"name": "clock", "parameters": {"a": "\""}}`,
		"text", `"`, `\`, "1", ";", "null", "<", "é"}
	for name, source := range toolTemplates {
		for _, use := range []ToolUse{{}, {Single: true}, {Required: true}} {
			use.Tools = []Tool{clock}
			f, err := withTemplate(t, source).ToolFormat(use)
			if err != nil {
				t.Fatal(err)
			}
			for range 400 {
				answer, marked := "", false
				for range rng.IntN(12) {
					p := parts[rng.IntN(len(parts))]
					marked = marked || p == f.kind.open || f.kind.bare && strings.Contains(p, "{")
					answer += p
				}
				text, calls := read(f, answer, max(1, len(answer)))
				if !marked && !use.Required && (text != answer || calls != nil) {
					t.Fatalf("%s: %q became %q and %v", name, answer, text, calls)
				}
				for size := range 4 {
					again, list := read(f, answer, size+1)
					same := len(list) == len(calls)
					for i := 0; same && i < len(list); i++ {
						same = list[i].Name == calls[i].Name && list[i].Arguments == calls[i].Arguments
					}
					if again != text || !same {
						t.Fatalf("%s: %q in pieces of %d: %q %v, whole: %q %v", name, answer, size+1, again, list, text, calls)
					}
				}
			}
		}
	}
}
