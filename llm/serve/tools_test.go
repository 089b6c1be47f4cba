package serve

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/llm"
)

const weatherTool = `{"type": "function", "function": {"name": "weather", "description": "of a city", "strict": true, "parameters":
	{"type": "object", "properties": {"city": {"enum": ["Oslo", "Rome"]}}, "required": ["city"], "additionalProperties": false}}}`

// startTools serves a model whose template has tools.
func startTools(t testing.TB, o Options) *httptest.Server {
	t.Helper()
	s := New(map[string]*llm.Model{"tiny": toolModel()}, o)
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		h.Close()
		s.Close()
	})
	return h
}

// tooled is the body of a chat that must call.
func tooled(fields string) string {
	return strings.Replace(chat(`"tools": [`+weatherTool+`], `+fields), `"max_tokens": 5`, `"max_tokens": 300`, 1)
}

func cityOf(t testing.TB, arguments string) string {
	t.Helper()
	var v map[string]string
	decode(t, arguments, &v)
	if len(v) != 1 || v["city"] != "Oslo" && v["city"] != "Rome" {
		t.Errorf("arguments %s", arguments)
	}
	return v["city"]
}

// TestToolCalls asserts that calls that are asked for come, whole and in parts, and that they go back into the chat.
func TestToolCalls(t *testing.T) {
	h := startTools(t, Options{})
	for _, choice := range []string{`"required"`, `{"type": "function", "function": {"name": "weather"}}`} {
		body := tooled(`"tool_choice": ` + choice + `, "parallel_tool_calls": false, "seed": 3, "stream": `)
		code, answer, _ := post(t, h.URL, chatPath, strings.Replace(body, `"stream": `, `"stream": false`, 1))
		var a chatAnswer
		decode(t, answer, &a)
		if code != 200 || len(a.Choices[0].Message.Calls) != 1 || *a.Choices[0].Finish != "tool_calls" ||
			a.Choices[0].Message.Content != nil || !strings.Contains(answer, `"content":null`) {
			t.Fatalf("%d %s", code, answer)
		}
		call := a.Choices[0].Message.Calls[0]
		city := cityOf(t, call.Function.Arguments)
		if call.Function.Name != "weather" || call.Type != "function" || !strings.HasPrefix(call.ID, "call_") {
			t.Errorf("%+v", call)
		}
		_, answer, _ = post(t, h.URL, chatPath, strings.Replace(body, `"stream": `, `"stream": true`, 1))
		name, id, arguments, finish := "", "", "", ""
		for _, p := range strings.Split(strings.TrimSuffix(answer, "data: [DONE]\n\n"), "\n\n") {
			if p == "" {
				continue
			}
			var a chatAnswer
			decode(t, strings.TrimPrefix(p, "data: "), &a)
			for _, c := range a.Choices[0].Delta.Calls {
				if *c.Index != 0 || (c.ID != "") != (c.Function.Name != "") || (c.ID != "") != (c.Type == "function") {
					t.Errorf("%s", p)
				}
				name, id, arguments = name+c.Function.Name, id+c.ID, arguments+c.Function.Arguments
			}
			if f := a.Choices[0].Finish; f != nil {
				finish = *f
			}
		}
		if name != "weather" || id == "" || cityOf(t, arguments) != city || finish != "tool_calls" {
			t.Errorf("%q %q %q %q", name, id, arguments, finish)
		}
		sent, _ := json.Marshal(a.Choices[0].Message)
		code, answer, _ = post(t, h.URL, chatPath, `{"max_tokens": 3, "tools": [`+weatherTool+`], "messages": [
			{"role": "user", "content": "hi"}, `+string(sent)+`, {"role": "tool", "tool_call_id": "`+call.ID+`", "content": "cold"}]}`)
		if code != 200 {
			t.Errorf("%d %s", code, answer)
		}
	}
	// Free to call or not; no tools at all.
	for fields, want := range map[string]int{`"tool_choice": "auto"`: 200, `"tool_choice": "none"`: 200,
		`"tool_choice": "some"`: 400, `"tool_choice": {"type": "function", "function": {"name": "other"}}`: 400,
		`"tool_choice": {"type": "custom"}`: 400, `"tool_choice": "required", "grammar": "root ::= \"a\""`: 400} {
		if code, answer, _ := post(t, h.URL, chatPath, strings.Replace(tooled(fields), "300", "5", 1)); code != want {
			t.Errorf("%s: %d %s", fields, code, answer)
		}
	}
	with, without := chatAnswer{}, chatAnswer{}
	_, answer, _ := post(t, h.URL, chatPath, tooled(`"tool_choice": "none", "temperature": 0`))
	decode(t, answer, &with)
	_, answer, _ = post(t, h.URL, chatPath, strings.Replace(chat(`"temperature": 0`), ": 5", ": 300", 1))
	decode(t, answer, &without)
	if with.Usage.Prompt != without.Usage.Prompt || *with.Choices[0].Message.Content != *without.Choices[0].Message.Content {
		t.Error("tool_choice none is not as if there were no tools")
	}
}

func TestToolsRefused(t *testing.T) {
	h := startTools(t, Options{})
	for _, tools := range []string{`{}`, `[1]`, `[{}]`, `[{"type": "function"}]`, `[{"type": "other", "function": {"name": "f"}}]`,
		`[{"type": "function", "function": {"name": ""}}]`, `[{"type": "function", "function": {"name": "a b"}}]`,
		`[{"type": "function", "function": {"name": "f", "parameters": 5}}]`,
		`[{"type": "function", "function": {"name": "f", "strict": 5}}]`, `[{"type": "function", "function": {"name": "f", "more": 5}}]`,
		`[{"type": "function", "function": {"name": "f", "strict": true, "parameters": {"type": "object", "minProperties": 3}}}]`,
		`[` + weatherTool + `, ` + weatherTool + `]`, `[` + strings.Repeat(weatherTool+",", 128) + weatherTool + `]`} {
		if code, answer, _ := post(t, h.URL, chatPath, chat(`"tools": `+tools)); code != 400 || !strings.Contains(answer, "tools") {
			t.Errorf("%.80s: %d %s", tools, code, answer)
		}
	}
	plain, _ := start(t, Options{})
	if code, answer, _ := post(t, plain.URL, chatPath, chat(`"tools": [`+weatherTool+`]`)); code != 400 ||
		!strings.Contains(answer, "no tools") {
		t.Errorf("%d %s", code, answer)
	}
}
