package serve

import (
	"encoding/json"
	"strconv"

	"github.com/lucid-go/lucid/llm"
)

const (
	maxTools       = 128
	maxDescription = 1 << 14
)

// toolFields are the fields of a chat that say which functions may be called.
func toolFields() []field {
	return []field{
		{"tools", func(q *request, raw json.RawMessage) *failure { return q.setTools(raw, chatTool) }},
		{"tool_choice", func(q *request, raw json.RawMessage) *failure { return q.setChoice(raw, "function") }},
		{"parallel_tool_calls", func(q *request, raw json.RawMessage) *failure {
			parallel := false
			bad := flag("parallel_tool_calls", func(*request) *bool { return &parallel }).set(q, raw)
			q.tools.Single = !parallel
			return bad
		}},
	}
}

// setTools reads a list of tools, each by one of the two forms of the API.
func (q *request) setTools(raw json.RawMessage, one func(at string, raw json.RawMessage) (llm.Tool, *failure)) *failure {
	var list []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &list) != nil || len(list) > maxTools {
		return wrong("tools", "want a list of at most %d tools", maxTools)
	}
	for i, raw := range list {
		t, bad := one("tools["+strconv.Itoa(i)+"]", raw)
		if bad != nil {
			return bad
		}
		q.tools.Tools = append(q.tools.Tools, t)
	}
	return nil
}

// chatTool reads {"type": "function", "function": {…}}.
func chatTool(at string, raw json.RawMessage) (t llm.Tool, bad *failure) {
	m, bad := objectOf(at, raw, "type", "function")
	if bad != nil {
		return t, bad
	}
	if string(m["type"]) != `"function"` {
		return t, wrong(at+".type", "%.40s; want function", m["type"])
	}
	if len(m["function"]) == 0 {
		return t, wrong(at+".function", "is missing")
	}
	f, bad := objectOf(at+".function", m["function"], "name", "description", "parameters", "strict")
	if bad != nil {
		return t, bad
	}
	return functionOf(at+".function", f)
}

// functionOf reads the fields of a function.
func functionOf(at string, f map[string]json.RawMessage) (t llm.Tool, bad *failure) {
	if t.Name, bad = nameOf(at+".name", f["name"]); bad != nil {
		return t, bad
	}
	for key, raw := range f {
		if string(raw) == "null" {
			continue
		}
		switch key {
		case "description":
			t.Description, bad = textOf(at+".description", raw, maxDescription)
		case "strict":
			bad = flag(at+".strict", func(*request) *bool { return &t.Strict }).set(nil, raw)
		case "parameters":
			if raw[0] != '{' || len(raw) > maxGrammar {
				bad = wrong(at+".parameters", "want a JSON schema of at most %d bytes that is an object", maxGrammar)
			}
			t.Parameters = raw
		}
		if bad != nil {
			return t, bad
		}
	}
	return t, nil
}

// nameOf reads the name of a function: letters, digits, _, - and dots.
func nameOf(at string, raw json.RawMessage) (string, *failure) {
	if len(raw) == 0 {
		return "", wrong(at, "is missing")
	}
	name, bad := textOf(at, raw, 64)
	if bad != nil {
		return "", bad
	}
	for _, r := range name {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '.') {
			return "", wrong(at, "%.80q; want letters, digits, _, - and .", name)
		}
	}
	if name == "" {
		return "", wrong(at, `""; want a name`)
	}
	return name, nil
}

// setChoice reads tool_choice: a word, or the function that must be called. inside is the key that holds its name's object; "" if the
// name is next to the type.
func (q *request) setChoice(raw json.RawMessage, inside string) *failure {
	switch string(raw) {
	case `"none"`:
		q.noTools = true
		return nil
	case `"auto"`:
		return nil
	case `"required"`:
		q.tools.Required = true
		return nil
	}
	if raw[0] != '{' {
		return wrong("tool_choice", "%.40s; want none, auto, required or a function", raw)
	}
	keys, at := []string{"type", "name"}, "tool_choice"
	if inside != "" {
		keys[1] = inside
	}
	m, bad := objectOf(at, raw, keys...)
	if bad != nil {
		return bad
	}
	if string(m["type"]) != `"function"` {
		return wrong("tool_choice.type", "%.40s; want function", m["type"])
	}
	if inside != "" {
		if len(m[inside]) == 0 {
			return wrong("tool_choice."+inside, "is missing")
		}
		if m, bad = objectOf("tool_choice."+inside, m[inside], "name"); bad != nil {
			return bad
		}
	}
	q.tools.Name, bad = nameOf("tool_choice", m["name"])
	return bad
}

// chatPrompt writes the messages in the model's form, with the tools it may call.
func (q *request) chatPrompt() *failure {
	m := q.model.m
	switch {
	case len(q.tools.Tools) == 0 && (q.tools.Required || q.tools.Name != ""):
		return wrong("tool_choice", "a call is asked for, and there are no tools")
	case !m.HasChat():
		return wrong("messages", "the files of the model %q have no chat template; use /v1/completions with a prompt", q.name)
	case len(q.tools.Tools) == 0 || q.noTools:
		ids, err := m.ChatIDs(q.messages, true)
		if err != nil {
			return wrong("messages", "%v", err)
		}
		q.prompts = [][]int{ids}
		return nil
	}
	f, err := m.ToolFormat(q.tools)
	if err == nil {
		err = f.Apply(&q.o)
	}
	if err != nil {
		return wrong("tools", "%v", err)
	}
	ids, err := f.PromptIDs(m, q.messages, true, q.tools.Tools)
	if err != nil {
		return wrong("messages", "%v", err)
	}
	q.prompts, q.format = [][]int{ids}, f
	return nil
}

// chatCall is a call in an answer; Index is set in parts of one.
type chatCall struct {
	Index    *int         `json:"index,omitempty"`
	ID       string       `json:"id,omitempty"`
	Type     string       `json:"type,omitempty"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

// callsOf are calls as an answer writes them.
func callsOf(calls []llm.ToolCall) (list []chatCall) {
	for _, c := range calls {
		list = append(list, chatCall{ID: c.ID, Type: "function", Function: chatFunction{c.Name, c.Arguments}})
	}
	return list
}

// partsOf are pieces of calls as the events of a stream write them.
func partsOf(deltas []llm.CallDelta) (list []chatCall) {
	for _, d := range deltas {
		c := chatCall{Index: &d.Index, ID: d.ID, Function: chatFunction{d.Name, d.Arguments}}
		if d.ID != "" {
			c.Type = "function"
		}
		list = append(list, c)
	}
	return list
}

// take adds a token to an answer, whose calls of tools are told from its text.
func (a *answer) take(t llm.Token) {
	a.tokens = append(a.tokens, t)
	a.finish = finishes[t.Finish]
	if a.reader == nil {
		a.delta = llm.ToolDelta{Text: t.Text}
	} else {
		a.delta = a.reader.Next(t.Text, t.Finish != "")
	}
	a.text += a.delta.Text
	for _, c := range a.delta.Calls {
		if c.Index == len(a.calls) {
			a.calls = append(a.calls, llm.ToolCall{ID: c.ID, Name: c.Name})
		}
		a.calls[c.Index].Arguments += c.Arguments
	}
	if a.finish == "stop" && len(a.calls) > 0 {
		a.finish = "tool_calls"
	}
}
