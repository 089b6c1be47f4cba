package llm

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
)

// calling is the part of a template that writes calls, between what comes before all of them and behind.
func calling(begin, call, end string) string {
	return "{% if tools %}{{ tools | tojson }}{% endif %}{% for m in messages %}{% if m.tool_calls %}" + begin +
		"{% for c in m.tool_calls %}" + call + "{% endfor %}" + end + "{% else %}{{ m.content }}{% endif %}{% endfor %}"
}

// moreTemplates write calls as those of newer families do.
var moreTemplates = map[string]string{
	"kimi": calling("<|tool_calls_section_begin|>", "<|tool_call_begin|>functions.{{ c.function.name }}:{{ loop.index0 }}"+
		"<|tool_call_argument_begin|>{{ c.function.arguments | tojson }}<|tool_call_end|>", "<|tool_calls_section_end|>"),
	"deepseek3": calling("<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>{{ c.function.name }}<｜tool▁sep｜>"+
		"{{ c.function.arguments | tojson }}<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>"),
	"deepseek1": calling("<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>function<｜tool▁sep｜>{{ c.function.name }}\n```json\n"+
		"{{ c.function.arguments | tojson }}\n```<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>"),
	"harmony": calling("", "<|start|>assistant to=functions.{{ c.function.name }}<|channel|>commentary json<|message|>"+
		"{{ c.function.arguments | tojson }}<|call|>", ""),
	"glm": calling("", "<tool_call>{{ c.function.name }}\n{% for k, v in c.function.arguments | items %}<arg_key>{{ k }}</arg_key>\n"+
		"<arg_value>{{ v if v is string else v | tojson }}</arg_value>\n{% endfor %}</tool_call>", ""),
	"coder": calling("", "<tool_call>\n<function={{ c.function.name }}>\n{% for k, v in c.function.arguments | items %}<parameter={{ k }}>"+
		"\n{{ v }}\n</parameter>\n{% endfor %}</function>\n</tool_call>", ""),
	"minimax": calling("<minimax:tool_call>\n", "<invoke name=\"{{ c.function.name }}\">\n{% for k, v in c.function.arguments | items %}"+
		"<parameter name=\"{{ k }}\">{{ v }}</parameter>\n{% endfor %}</invoke>\n", "</minimax:tool_call>"),
}

// TestToolForms asserts that calls are found in what models of newer families write, however it is cut into pieces.
func TestToolForms(t *testing.T) {
	const deepBegin, deepEnd = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>", "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
	for _, c := range []struct {
		form, answer, text, calls string
	}{
		{"kimi", "Hello.", "Hello.", ""},
		{"kimi", "I look.<|tool_calls_section_begin|><|tool_call_begin|>functions.weather:0<|tool_call_argument_begin|>" +
			"{\"city\": \"Oslo\"}<|tool_call_end|><|tool_call_begin|>functions.clock:1<|tool_call_argument_begin|>{}<|tool_call_end|>" +
			"<|tool_calls_section_end|>", "I look.", `weather{"city": "Oslo"} clock{}`},
		{"kimi", "<|tool_call_begin|>functions.other:0<|tool_call_argument_begin|>{}", "<|tool_call_begin|>functions.other:0" +
			"<|tool_call_argument_begin|>{}", ""},
		{"deepseek3", deepBegin + "weather<｜tool▁sep｜>{\"city\": \"Rome\"}<｜tool▁call▁end｜><｜tool▁call▁begin｜>" +
			"clock<｜tool▁sep｜>{}" + deepEnd, "", `weather{"city": "Rome"} clock{}`},
		{"deepseek1", "So." + deepBegin + "function<｜tool▁sep｜>weather\n```json\n{\"city\": \"Rome\"}\n```<｜tool▁call▁end｜>\n" +
			"<｜tool▁call▁begin｜>function<｜tool▁sep｜>clock\n```json\n{}\n```" + deepEnd, "So.", `weather{"city": "Rome"} clock{}`},
		{"harmony", "<|channel|>analysis<|message|>The user wants.<|end|><|start|>assistant<|channel|>final<|message|>" +
			"It is cold.<|return|>", "It is cold.", ""},
		{"harmony", "<|channel|>analysis<|message|>Need it.<|end|><|start|>assistant<|channel|>commentary to=functions.weather " +
			"<|constrain|>json<|message|>{\"city\": \"Oslo\"}<|call|>", "", `weather{"city": "Oslo"}`},
		{"harmony", "<|channel|>commentary<|message|>I look.<|end|><|start|>assistant to=functions.clock<|channel|>commentary " +
			"json<|message|>{}<|call|>", "I look.", `clock{}`},
		{"harmony", "<|channel|>commentary to=functions.other <|constrain|>json<|message|>{}<|call|>", "", ""},
		{"glm", "One moment.\n<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n<arg_key>days</arg_key>\n" +
			"<arg_value>3</arg_value>\n</tool_call>\n<tool_call>clock\n</tool_call>", "One moment.\n",
			`weather{"city": "Oslo", "days": 3} clock{}`},
		{"glm", "<tool_call>other\n</tool_call>", "<tool_call>other\n</tool_call>", ""},
		{"coder", "<tool_call>\n<function=weather>\n<parameter=city>\na <b> \"c\"\nd\n</parameter>\n<parameter=days>\n2\n</parameter>\n" +
			"</function>\n</tool_call>", "", `weather{"city": "a \u003cb\u003e \"c\"\nd", "days": 2}`},
		{"coder", "<tool_call>\n<function=weather>\n<parameter=city>", "<tool_call>\n<function=weather>\n<parameter=city>", ""},
		{"minimax", "<minimax:tool_call>\n<invoke name=\"weather\">\n<parameter name=\"city\">Rome</parameter>\n</invoke>\n" +
			"<invoke name=\"clock\">\n</invoke>\n</minimax:tool_call>", "", `weather{"city": "Rome"} clock{}`},
	} {
		f, err := withTemplate(t, moreTemplates[c.form]).ToolFormat(ToolUse{Tools: []Tool{weather, clock}})
		if err != nil {
			t.Fatalf("%s: %v", c.form, err)
		}
		for size := 1; size <= len(c.answer); size++ {
			text, calls := read(f, c.answer, size)
			var got []string
			for _, call := range calls {
				if got = append(got, call.Name+call.Arguments); !json.Valid([]byte(call.Arguments)) {
					t.Errorf("%s: arguments %q", c.form, call.Arguments)
				}
			}
			if text != c.text || strings.Join(got, " ") != c.calls {
				t.Errorf("%s, pieces of %d, %q: text %q, calls %q", c.form, size, c.answer, text, got)
				break
			}
		}
	}
}

// TestToolFormsRequired asserts that calls are held to their schemas in forms whose arguments are JSON, and refused in the others.
func TestToolFormsRequired(t *testing.T) {
	for name, source := range moreTemplates {
		m := withTemplate(t, source, "<|message|>", "<|channel|>", "<|call|>", "<|constrain|>", "<|tool_call_begin|>", "<｜tool▁sep｜>")
		f, err := m.ToolFormat(ToolUse{Tools: []Tool{weather, clock}, Required: true, Single: true})
		if name == "glm" || name == "coder" || name == "minimax" {
			if !errors.Is(err, lucid.ErrNotImplemented) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		o := Options{Temperature: 1, Seed: 3, MaxTokens: 200}
		if err := f.Apply(&o); err != nil {
			t.Fatal(err)
		}
		ids, err := f.PromptIDs(m, []Message{{Role: "user", Content: "hi"}}, true, []Tool{weather, clock})
		if err != nil {
			t.Fatal(err)
		}
		answer := ""
		for tok, err := range m.GenerateIDs(t.Context(), ids, o) {
			if err != nil {
				t.Fatal(err)
			}
			answer += tok.Text
		}
		if _, calls := read(f, answer, 4); len(calls) != 1 || !json.Valid([]byte(calls[0].Arguments)) {
			t.Errorf("%s: %q has the calls %q", name, answer, calls)
		}
	}
}

// TestAssetsToolForms asserts which real templates have a form that is known. It needs the files of scripts/assets/fetch.py in
// LUCID_ASSETS.
func TestAssetsToolForms(t *testing.T) {
	dir := os.Getenv("LUCID_ASSETS")
	if dir == "" {
		t.Skip("LUCID_ASSETS is not set; see scripts/assets/fetch.py")
	}
	for file, form := range map[string]string{"Kimi-K2-Instruct": "kimi", "GLM-4.6": "glm", "deepseek-ai-DeepSeek-V3.1": "", // no tools
		"deepseek-ai-DeepSeek-R1-Distill-Qwen-32B": "", "openai-gpt-oss-120b": "harmony", "Qwen3-Coder": "qwen3-coder",
		"MiniMax-M2": "minimax", "Qwen-Qwen3-0.6B": "hermes", "meta-llama-Llama-3.1-8B-Instruct": "llama3",
		"mistralai-Mistral-Nemo-Instruct-2407": "mistral", "deepseek-ai-DeepSeek-V3.2": "", "LFM2-8B-A1B": ""} {
		source, err := os.ReadFile(filepath.Join(dir, "llama.cpp", "templates", file+".jinja"))
		if err != nil {
			t.Fatal(err)
		}
		f, err := withTemplate(t, string(source)).ToolFormat(ToolUse{Tools: []Tool{weather}})
		if (err == nil) != (form != "") || err == nil && f.kind.name != form {
			t.Errorf("%s: %+v, %v; want %q", file, f, err, form)
		}
	}
}
