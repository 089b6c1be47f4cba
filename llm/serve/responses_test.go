package serve

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

const responsesPath = "/v1/responses"

// response is what a client reads.
type response struct {
	ID, Object, Status string
	Output             []struct {
		Type, ID, Status, Role, Name, Arguments string
		Call                                    string `json:"call_id"`
		Content                                 []struct{ Type, Text string }
	}
	Details *struct{ Reason string } `json:"incomplete_details"`
	Usage   struct {
		In    int `json:"input_tokens"`
		Out   int `json:"output_tokens"`
		Total int `json:"total_tokens"`
	}
	Instructions *string
	Metadata     map[string]string
}

// TestResponses asserts that a response is the chat completion of the same messages, whole and as events.
func TestResponses(t *testing.T) {
	h := startTools(t, Options{})
	code, body, _ := post(t, h.URL, responsesPath, `{"model": "tiny", "input": "hi", "instructions": "x", "max_output_tokens": 5,
		"temperature": 0, "metadata": {"a": "b"}, "store": false}`)
	var r response
	decode(t, body, &r)
	var c chatAnswer
	_, other, _ := post(t, h.URL, chatPath, `{"messages": [{"role": "system", "content": "x"}, {"role": "user", "content": "hi"}],
		"max_tokens": 5, "temperature": 0}`)
	decode(t, other, &c)
	if code != 200 || r.Object != "response" || r.Status != "incomplete" || r.Details.Reason != "max_output_tokens" ||
		r.Output[0].Content[0].Text != *c.Choices[0].Message.Content || r.Output[0].Role != "assistant" || *r.Instructions != "x" ||
		r.Usage.In != c.Usage.Prompt || r.Usage.Out != 5 || r.Usage.Total != c.Usage.Total || r.Metadata["a"] != "b" {
		t.Errorf("%d %s, want %s", code, body, other)
	}
	// Items with what a response was, a call and its result.
	tool := `{"type": "function", "name": "weather", "strict": true, "parameters": {"type": "object",
		"properties": {"city": {"enum": ["Oslo", "Rome"]}}, "required": ["city"], "additionalProperties": false}}`
	code, body, _ = post(t, h.URL, responsesPath, `{"input": [{"role": "user", "content": [{"type": "input_text", "text": "hi"}]},
		{"type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
		"content": [{"type": "output_text", "text": "a", "annotations": [], "logprobs": []}]},
		{"type": "function_call", "call_id": "c1", "name": "weather", "arguments": "{}"},
		{"type": "function_call_output", "call_id": "c1", "output": "cold"}], "tools": [`+tool+`], "max_output_tokens": 400,
		"tool_choice": {"type": "function", "name": "weather"}, "parallel_tool_calls": false}`)
	decode(t, body, &r)
	if code != 200 || r.Status != "completed" || r.Output[0].Type != "function_call" || r.Output[0].Name != "weather" ||
		r.Output[0].Call == "" {
		t.Fatalf("%d %s", code, body)
	}
	cityOf(t, r.Output[0].Arguments)
	// A schema.
	code, body, _ = post(t, h.URL, responsesPath, `{"input": "hi", "max_output_tokens": 50, "text": {"format": {"type": "json_schema",
		"name": "x", "schema": {"enum": ["yes", "no"]}}}}`)
	decode(t, body, &r)
	if got := r.Output[0].Content[0].Text; code != 200 || got != `"yes"` && got != `"no"` {
		t.Errorf("%d %s", code, body)
	}
	for _, fields := range []string{``, `"input": 5`, `"input": []`, `"input": "x", "previous_response_id": "r"`,
		`"input": "x", "store": true`,
		`"input": "x", "tools": [{"type": "web_search"}]`, `"input": [{"type": "reasoning"}]`, `"input": [{"role": "user"}]`,
		`"input": "x", "reasoning": {"effort": "low"}`, `"input": "x", "include": ["a"]`,
		`"input": "x", "text": {"format": {"type": "xml"}}`,
		`"input": [{"type": "function_call", "call_id": "a", "name": "f", "arguments": "x"}]`, `"input": "x", "max_output_tokens": 0`,
		`"input": [{"role": "user", "content": [{"type": "input_image", "image_url": "http://127.0.0.1/"}]}]`, `"input": "x", "more": 1`,
		`"input": "x", "text": {"format": {"type": "json_schema", "name": "x", "schema": {"minimum": 1}}}`, `"input": "x", "metadata": 1`} {
		if code, answer, _ := post(t, h.URL, responsesPath, "{"+fields+"}"); code != 400 {
			t.Errorf("%s: %d %s", fields, code, answer)
		}
	}
}

// TestResponseEvents asserts the order of events, and that what they add up to is the response.
func TestResponseEvents(t *testing.T) {
	h := startTools(t, Options{})
	for name, fields := range map[string]string{"text": `"max_output_tokens": 6`,
		"call": `"max_output_tokens": 300, "tool_choice": "required", "parallel_tool_calls": false, "tools": [{"type": "function",
			"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "boolean"}}, "required": ["a"]}}]`} {
		_, body, head := post(t, h.URL, responsesPath, `{"input": "hi", "stream": true, `+fields+`}`)
		var kinds []string
		text, items := "", 0
		for i, p := range strings.Split(strings.TrimSuffix(body, "\n\n"), "\n\n") {
			event, data, _ := strings.Cut(p, "\n")
			var e struct {
				Type     string
				Number   int `json:"sequence_number"`
				Delta    string
				Item     json.RawMessage
				Response response
			}
			decode(t, strings.TrimPrefix(data, "data: "), &e)
			if "event: "+e.Type != event || e.Number != i {
				t.Errorf("%s", p)
			}
			if kind := strings.TrimPrefix(e.Type, "response."); len(kinds) == 0 || kinds[len(kinds)-1] != kind {
				kinds = append(kinds, kind)
			}
			if text += e.Delta; len(e.Item) > 0 {
				items++
			}
			if e.Type == "response.completed" || e.Type == "response.incomplete" {
				o := e.Response.Output[0]
				whole := o.Arguments
				if name == "text" {
					whole = o.Content[0].Text
				}
				if whole != text || text == "" || e.Response.Usage.Out == 0 || items != 2 {
					t.Errorf("%s: %q of %s", name, text, data)
				}
			}
		}
		want := []string{"created", "in_progress", "output_item.added", "content_part.added", "output_text.delta", "output_text.done",
			"content_part.done", "output_item.done", "incomplete"}
		if name == "call" {
			want = []string{"created", "in_progress", "output_item.added", "function_call_arguments.delta", "function_call_arguments.done",
				"output_item.done", "completed"}
		}
		if !slices.Equal(kinds, want) || head.Get("Content-Type") != "text/event-stream" {
			t.Errorf("%s: %v", name, kinds)
		}
	}
}
