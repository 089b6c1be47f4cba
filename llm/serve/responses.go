package serve

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/lucid-go/lucid/llm"
)

// responseFields are those of responses. What needs a memory of earlier responses is refused.
func responseFields() []field {
	return []field{
		text("model", maxName, func(q *request) *string { return &q.name }),
		{"input", setInput},
		text("instructions", maxBodyLimit, func(q *request) *string { return &q.instructions }),
		whole("max_output_tokens", 1, maxTokenLimit, func(q *request) *int64 { return &q.maxTokens }),
		number("temperature", 0, 2, func(q *request) *float64 { return &q.o.Temperature }),
		number("top_p", 0, 1, func(q *request) *float64 {
			q.hasTopP = true
			return &q.o.TopP
		}),
		flag("stream", func(q *request) *bool { return &q.stream }),
		{"stream_options", func(q *request, raw json.RawMessage) *failure {
			m, bad := objectOf("stream_options", raw, "include_obfuscation")
			if bad == nil && len(m["include_obfuscation"]) > 0 {
				bad = flag("stream_options.include_obfuscation", func(*request) *bool { return new(bool) }).set(q, m["include_obfuscation"])
			}
			return bad
		}},
		{"tools", func(q *request, raw json.RawMessage) *failure { return q.setTools(raw, flatTool) }},
		{"tool_choice", func(q *request, raw json.RawMessage) *failure { return q.setChoice(raw, "") }},
		toolFields()[2],
		{"text", setTextFormat},
		{"metadata", func(q *request, raw json.RawMessage) *failure {
			if raw[0] != '{' || len(raw) > maxDescription {
				return wrong("metadata", "want an object of at most %d bytes", maxDescription)
			}
			q.metadata = raw
			return nil
		}},
		passed("user"), passed("safety_identifier"), passed("prompt_cache_key"), only("store", "false"),
		only("service_tier", `"auto"`, `"default"`), only("truncation", `"disabled"`), only("include", "[]"),
		only("background", "false"), only("top_logprobs", "0"), only("previous_response_id"), only("conversation"), only("prompt"),
		only("reasoning"), only("max_tool_calls"), only("prompt_cache_retention"), only("context_management"),
	}
}

// flatTool reads {"type": "function", "name": …}.
func flatTool(at string, raw json.RawMessage) (t llm.Tool, bad *failure) {
	var head struct{ Type string }
	if json.Unmarshal(raw, &head) == nil && head.Type != "function" {
		return t, wrong(at+".type", "%.40q is not supported; want function", head.Type)
	}
	f, bad := objectOf(at, raw, "type", "name", "description", "parameters", "strict")
	if bad != nil {
		return t, bad
	}
	return functionOf(at, f)
}

// setTextFormat reads {"format": …}, which is response_format in another order.
func setTextFormat(q *request, raw json.RawMessage) *failure {
	m, bad := objectOf("text", raw, "format")
	if bad != nil || len(m["format"]) == 0 || string(m["format"]) == "null" {
		return bad
	}
	f, bad := objectOf("text.format", m["format"], "type", "name", "description", "schema", "strict")
	if bad != nil {
		return bad
	}
	q.textFormat = m["format"]
	format := map[string]json.RawMessage{"type": f["type"]}
	if len(f["type"]) == 0 {
		return wrong("text.format.type", "is missing")
	}
	if string(f["type"]) == `"json_schema"` {
		delete(f, "type")
		format["json_schema"], _ = json.Marshal(f)
	} else if len(f) > 1 {
		return wrong("text.format", "want a type alone, if it is not json_schema")
	}
	whole, _ := json.Marshal(format)
	if bad := setFormat(q, whole); bad != nil {
		return wrong("text.format", "%s", bad.Error.Message)
	}
	return nil
}

// setInput reads a text, or a list of messages, calls and their results.
func setInput(q *request, raw json.RawMessage) *failure {
	if raw[0] == '"' {
		t, bad := textOf("input", raw, maxBodyLimit)
		q.messages = []llm.Message{{Role: "user", Content: t}}
		return bad
	}
	var list []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &list) != nil || len(list) == 0 || len(list) > maxMessages {
		return wrong("input", "want a text, or a list of 1 to %d items", maxMessages)
	}
	for i, one := range list {
		if bad := q.inputItem("input["+strconv.Itoa(i)+"]", one); bad != nil {
			return bad
		}
	}
	return nil
}

func (q *request) inputItem(at string, raw json.RawMessage) *failure {
	var head struct{ Type string }
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &head) != nil {
		return wrong(at, "want an object")
	}
	keys := map[string][]string{"": {"role", "content"}, "message": {"role", "content"}, "function_call": {"call_id", "name", "arguments"},
		"function_call_output": {"call_id", "output"}}[head.Type]
	if keys == nil {
		return wrong(at+".type", "%.40q is not supported; want message, function_call or function_call_output", head.Type)
	}
	m, bad := objectOf(at, raw, append(keys, "type", "id", "status")...)
	if bad != nil {
		return bad
	}
	switch head.Type {
	case "function_call":
		return q.inputCall(at, m)
	case "function_call_output":
		var one llm.Message
		if one.ToolCallID, bad = idOf(at+".call_id", m["call_id"]); bad != nil {
			return bad
		}
		one.Role = "tool"
		if one.Content, bad = contentOf(at+".output", m["output"]); bad != nil {
			return bad
		}
		q.messages = append(q.messages, one)
		return nil
	}
	one, bad := messageOf(at, map[string]json.RawMessage{"role": m["role"], "content": m["content"]})
	if bad != nil {
		return bad
	}
	q.messages = append(q.messages, one)
	return nil
}

func idOf(at string, raw json.RawMessage) (string, *failure) {
	if len(raw) == 0 {
		return "", wrong(at, "is missing")
	}
	return textOf(at, raw, maxName)
}

// inputCall adds a call to the message of the assistant before it, or makes one.
func (q *request) inputCall(at string, m map[string]json.RawMessage) (bad *failure) {
	var c llm.ToolCall
	if c.ID, bad = idOf(at+".call_id", m["call_id"]); bad != nil {
		return bad
	}
	if c.Name, bad = nameOf(at+".name", m["name"]); bad != nil {
		return bad
	}
	if c.Arguments, bad = argumentsOf(at+".arguments", m["arguments"]); bad != nil {
		return bad
	}
	if n := len(q.messages); n == 0 || q.messages[n-1].Role != "assistant" {
		q.messages = append(q.messages, llm.Message{Role: "assistant"})
	}
	last := &q.messages[len(q.messages)-1]
	last.ToolCalls = append(last.ToolCalls, c)
	return nil
}

func (s *Server) responses(w http.ResponseWriter, r *http.Request) *failure {
	fields, bad := s.body(w, r)
	if bad != nil {
		return bad
	}
	q := &request{n: 1, o: llm.Options{Temperature: 1}}
	if bad := q.fill(fields, responseFields()); bad != nil {
		return bad
	}
	if q.messages == nil {
		return wrong("input", "is missing")
	}
	if q.instructions != "" {
		q.messages = append([]llm.Message{{Role: "system", Content: q.instructions}}, q.messages...)
	}
	if bad := s.begin(r.Context(), q); bad != nil {
		return bad
	}
	defer q.release()
	if bad := q.chatPrompt(); bad != nil {
		return bad
	}
	f := &responseShape{id: newID("resp_"), created: time.Now().Unix(), tools: fields["tools"], choice: fields["tool_choice"]}
	return s.respond(w, r, q, f)
}

// responseShape is the form of responses.
type responseShape struct {
	id      string
	created int64
	tools   json.RawMessage
	choice  json.RawMessage

	items []responseItem // of a stream, under way
	n     int            // events so far
}

type responseItem struct {
	Type      string         `json:"type"` // message or function_call
	ID        string         `json:"id"`
	Status    string         `json:"status"`
	Role      string         `json:"role,omitempty"`
	Content   []responsePart `json:"content,omitempty"`
	CallID    string         `json:"call_id,omitempty"`
	Name      string         `json:"name,omitempty"`
	Arguments *string        `json:"arguments,omitempty"`
}

type responsePart struct {
	Type        string `json:"type"` // output_text
	Text        string `json:"text"`
	Annotations []any  `json:"annotations"`
	LogProbs    []any  `json:"logprobs"`
}

func newPart(text string) responsePart {
	return responsePart{Type: "output_text", Text: text, Annotations: []any{}, LogProbs: []any{}}
}

// MarshalJSON writes the content of a message even if it is empty.
func (i responseItem) MarshalJSON() ([]byte, error) {
	type plain responseItem
	if i.Type != "message" || len(i.Content) > 0 {
		return json.Marshal(plain(i))
	}
	return json.Marshal(struct {
		plain
		Content []responsePart `json:"content"`
	}{plain(i), []responsePart{}})
}

// items are the parts of a whole answer.
func itemsOf(a *answer, status string) []responseItem {
	list := []responseItem{}
	if a.text != "" || len(a.calls) == 0 {
		list = append(list, responseItem{Type: "message", ID: newID("msg_"), Status: status, Role: "assistant",
			Content: []responsePart{newPart(a.text)}})
	}
	for i := range a.calls {
		c := &a.calls[i]
		list = append(list, responseItem{Type: "function_call", ID: newID("fc_"), Status: status, CallID: c.ID, Name: c.Name,
			Arguments: &c.Arguments})
	}
	return list
}

// object is the response as a whole, with or without its usage.
func (f *responseShape) object(q *request, status string, items []responseItem, use *usage) map[string]any {
	or := func(raw json.RawMessage, v any) any {
		if len(raw) == 0 {
			return v
		}
		return raw
	}
	o := map[string]any{"id": f.id, "object": "response", "created_at": f.created, "status": status, "error": nil,
		"incomplete_details": nil, "instructions": nil, "max_output_tokens": nil, "model": q.model.name, "output": items,
		"parallel_tool_calls": !q.tools.Single, "previous_response_id": nil, "reasoning": map[string]any{"effort": nil, "summary": nil},
		"store": false, "temperature": q.o.Temperature, "top_p": 1.0, "truncation": "disabled", "usage": nil, "user": nil,
		"text":        map[string]any{"format": or(q.textFormat, map[string]string{"type": "text"})},
		"tool_choice": or(f.choice, "auto"), "tools": or(f.tools, []any{}), "metadata": or(q.metadata, map[string]any{})}
	if q.instructions != "" {
		o["instructions"] = q.instructions
	}
	if q.maxTokens > 0 {
		o["max_output_tokens"] = q.maxTokens
	}
	if q.hasTopP {
		o["top_p"] = q.o.TopP
	}
	if status == "incomplete" {
		o["incomplete_details"] = map[string]string{"reason": "max_output_tokens"}
	}
	if use != nil {
		o["usage"] = map[string]any{"input_tokens": use.Prompt, "output_tokens": use.Completion, "total_tokens": use.Total,
			"input_tokens_details": use.Reused, "output_tokens_details": map[string]int{"reasoning_tokens": 0}}
	}
	return o
}

// statusOf is completed, or incomplete if there was no room for all.
func statusOf(a *answer) string {
	if a.finish == "length" {
		return "incomplete"
	}
	return "completed"
}

func (f *responseShape) whole(q *request, answers []answer, use usage) any {
	status := statusOf(&answers[0])
	return f.object(q, status, itemsOf(&answers[0], status), &use)
}

// responseEvent is one event of a stream: its type and what goes with it.
type responseEvent map[string]any

func (e responseEvent) event() string { return e["type"].(string) }

// say makes an event.
func (f *responseShape) say(kind string, pairs ...any) any {
	e := responseEvent{"type": "response." + kind, "sequence_number": f.n}
	f.n++
	for i := 0; i < len(pairs); i += 2 {
		e[pairs[i].(string)] = pairs[i+1]
	}
	return e
}

func (f *responseShape) start(q *request, _ int) []any {
	return []any{f.say("created", "response", f.object(q, "in_progress", []responseItem{}, nil)),
		f.say("in_progress", "response", f.object(q, "in_progress", []responseItem{}, nil))}
}

func (f *responseShape) part(_ *request, a *answer, _ llm.Token) (list []any) {
	if t := a.delta.Text; t != "" {
		if n := len(f.items); n == 0 || f.items[n-1].Type != "message" {
			list = append(list, f.closeItem("completed")...)
			f.items = append(f.items, responseItem{Type: "message", ID: newID("msg_"), Status: "in_progress", Role: "assistant"})
			at := len(f.items) - 1
			list = append(list, f.say("output_item.added", "output_index", at, "item", f.items[at]),
				f.say("content_part.added", "item_id", f.items[at].ID, "output_index", at, "content_index", 0, "part", newPart("")))
			f.items[at].Content = []responsePart{newPart("")}
		}
		at := len(f.items) - 1
		f.items[at].Content[0].Text += t
		list = append(list, f.say("output_text.delta", "item_id", f.items[at].ID, "output_index", at, "content_index", 0, "delta", t,
			"logprobs", []any{}))
	}
	for _, c := range a.delta.Calls {
		if c.ID != "" {
			list = append(list, f.closeItem("completed")...)
			f.items = append(f.items, responseItem{Type: "function_call", ID: newID("fc_"), Status: "in_progress", CallID: c.ID,
				Name: c.Name, Arguments: new(string)})
			at := len(f.items) - 1
			begun := f.items[at]
			begun.Arguments = new(string)
			list = append(list, f.say("output_item.added", "output_index", at, "item", begun))
		}
		if at := len(f.items) - 1; c.Arguments != "" && at >= 0 && f.items[at].Arguments != nil {
			*f.items[at].Arguments += c.Arguments
			list = append(list, f.say("function_call_arguments.delta", "item_id", f.items[at].ID, "output_index", at, "delta", c.Arguments))
		}
	}
	return list
}

// closeItem ends the item under way.
func (f *responseShape) closeItem(status string) (list []any) {
	at := len(f.items) - 1
	if at < 0 || f.items[at].Status != "in_progress" {
		return nil
	}
	i := &f.items[at]
	i.Status = status
	if i.Type == "message" {
		list = append(list, f.say("output_text.done", "item_id", i.ID, "output_index", at, "content_index", 0, "text", i.Content[0].Text,
			"logprobs", []any{}),
			f.say("content_part.done", "item_id", i.ID, "output_index", at, "content_index", 0, "part", i.Content[0]))
	} else {
		list = append(list, f.say("function_call_arguments.done", "item_id", i.ID, "output_index", at, "name", i.Name,
			"arguments", *i.Arguments))
	}
	return append(list, f.say("output_item.done", "output_index", at, "item", *i))
}

func (f *responseShape) end(q *request, answers []answer, use usage) (list []any) {
	status := statusOf(&answers[0])
	if len(f.items) == 0 { // an answer without text
		answers[0].delta = llm.ToolDelta{}
		f.items = append(f.items, itemsOf(&answers[0], "in_progress")...)
		list = append(list, f.say("output_item.added", "output_index", 0, "item", f.items[0]))
	}
	list = append(list, f.closeItem(status)...)
	return append(list, f.say(status, "response", f.object(q, status, f.items, &use)))
}
