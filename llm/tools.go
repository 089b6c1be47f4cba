package llm

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm/grammar"
	"github.com/lucid-go/lucid/llm/template"
	"github.com/lucid-go/lucid/llm/tokenizer"
)

// Tool is a function that a model may ask the program to call.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON schema of the arguments, an object; empty: there are none
	// Strict holds the arguments of calls to Parameters, also where the model is free not to call.
	Strict bool
}

// ToolCall is a model's wish to call a function.
type ToolCall struct {
	ID        string // the message with the result has it as ToolCallID
	Name      string
	Arguments string // JSON, as the model wrote it
}

// ToolUse says how an answer may call tools.
type ToolUse struct {
	Tools    []Tool
	Required bool   // the answer is calls, with arguments that their schemas allow
	Name     string // Required, and of this tool; "": any
	Single   bool   // one call at most
}

// ToolFormat is how a model writes calls of tools. It serves several answers at a time.
type ToolFormat struct {
	Prefix string  // what to append to the prompt: it begins the answer if ToolUse.Required is set
	use    ToolUse // with the tools that may be called
	kind   toolKind
	marks  []int            // special tokens that belong to the form
	rule   *grammar.Grammar // nil: free
	after  string           // the rule holds behind this text only; "": from the beginning
}

// toolKind is a family of forms.
type toolKind struct {
	name      string
	open      string // before calls
	close     string // behind a call
	arguments string // key
	bare      bool   // an answer that begins with { is a call
	list      bool   // calls are elements of an array
	named     string // between name and arguments, if they are no object
	begin     string // before the first call; "": nothing
	end       string // behind the last call
	before    string // before the name
	fence     string // between arguments and close
	tags      *tagForm
}

// otherForms are in templates whose calls look like those of an older form, and are something else.
var otherForms = []string{"<arg_key>", "<function=", "<parameter=", "<parameters>", "<|tool_calls_section_begin|>"}

// The forms that are known, by what templates that write them say. The first that fits is taken.
var toolKinds = []struct {
	said []string
	kind toolKind
}{
	{[]string{"<|tool_calls_section_begin|>"}, toolKind{name: "kimi", open: "<|tool_call_begin|>", close: "<|tool_call_end|>",
		named: "<|tool_call_argument_begin|>", begin: "<|tool_calls_section_begin|>", end: "<|tool_calls_section_end|>",
		before: "functions."}},
	{[]string{"<｜tool▁sep｜>", "```json"}, toolKind{name: "deepseek", open: "<｜tool▁call▁begin｜>", close: "<｜tool▁call▁end｜>",
		named: "\n```json\n", begin: "<｜tool▁calls▁begin｜>", end: "<｜tool▁calls▁end｜>", before: "function<｜tool▁sep｜>", fence: "\n```"}},
	{[]string{"<｜tool▁sep｜>"}, toolKind{name: "deepseek", open: "<｜tool▁call▁begin｜>", close: "<｜tool▁call▁end｜>",
		named: "<｜tool▁sep｜>", begin: "<｜tool▁calls▁begin｜>", end: "<｜tool▁calls▁end｜>"}},
	{[]string{"<|channel|>commentary"}, toolKind{name: "harmony", open: "<|channel|>commentary to=", close: "<|call|>",
		named: " <|constrain|>json<|message|>", before: "functions."}},
	{[]string{"<tool_call>", "<arg_key>"}, toolKind{name: "glm", open: "<tool_call>", close: "</tool_call>", tags: &glmTags}},
	{[]string{"<function=", "<parameter="}, toolKind{name: "qwen3-coder", open: "<tool_call>", close: "</tool_call>", tags: &coderTags}},
	{[]string{"<minimax:tool_call>"}, toolKind{name: "minimax", open: "<minimax:tool_call>", close: "</minimax:tool_call>",
		tags: &invokeTags}},
	{[]string{"<tool_call>"}, toolKind{name: "hermes", open: "<tool_call>", close: "</tool_call>", arguments: "arguments"}},
	{[]string{"[TOOL_CALLS]", "[ARGS]"}, toolKind{name: "mistral", open: "[TOOL_CALLS]", named: "[ARGS]"}},
	{[]string{"[TOOL_CALLS]"}, toolKind{name: "mistral", open: "[TOOL_CALLS]", arguments: "arguments", list: true}},
	{[]string{"<|python_tag|>"}, toolKind{name: "llama3", open: "<|python_tag|>", arguments: "parameters", bare: true}},
	{[]string{`"parameters"`, "<|start_header_id|>"},
		toolKind{name: "llama3", open: "<|python_tag|>", arguments: "parameters", bare: true}},
}

// ToolFormat returns how the model calls tools: its chat template tells. It is an error if the template has no tools, or writes calls
// in a form that is not known.
func (m *Model) ToolFormat(use ToolUse) (f *ToolFormat, err error) {
	caught := fault.Catch(func() {
		f = &ToolFormat{use: use}
		f.use.Tools = slices.Clone(use.Tools)
		use.check()
		if use.Name != "" {
			f.use.Required = true
			f.use.Tools = slices.DeleteFunc(f.use.Tools, func(t Tool) bool { return t.Name != use.Name })
		}
		m.toolOnce.Do(func() {
			if m.toolForm, m.toolErr = toolKindOf(m.chat); m.toolErr == nil && !m.writes(m.toolForm) {
				m.toolErr = fault.New(fault.NotImplemented, op, "%s", unknownForm)
			}
		})
		if f.kind, err = m.toolForm, m.toolErr; err != nil {
			return
		}
		f.mark(m)
		err = f.restrict()
	})
	if caught != nil {
		err = caught
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// check refuses tools without a name, names that come twice, and a choice of what is not there.
func (u *ToolUse) check() {
	seen := map[string]bool{}
	for _, t := range u.Tools {
		if t.Name == "" || seen[t.Name] {
			fault.Throw(fault.Value, op, "a tool has the name %q, or two have; want names that differ", t.Name)
		}
		seen[t.Name] = true
	}
	if len(u.Tools) == 0 {
		fault.Throw(fault.Value, op, "there are no tools to call")
	}
	if u.Name != "" && !seen[u.Name] {
		fault.Throw(fault.Value, op, "there is no tool %q", u.Name)
	}
}

func toolKindOf(source string) (toolKind, error) {
	if !strings.Contains(source, "tools") {
		return toolKind{}, fault.New(fault.NotImplemented, op, "the chat template of the model has no tools")
	}
	other := slices.ContainsFunc(otherForms, func(s string) bool { return strings.Contains(source, s) })
	for _, k := range toolKinds {
		old := k.kind.begin == "" && k.kind.before == "" && k.kind.tags == nil
		if !(old && other) && !slices.ContainsFunc(k.said, func(s string) bool { return !strings.Contains(source, s) }) {
			return k.kind, nil
		}
	}
	return toolKind{}, fault.New(fault.NotImplemented, op, "%s", unknownForm)
}

const unknownForm = "the chat template of the model writes calls of tools in a form that is not known; known are those of Hermes and " +
	"Qwen, Mistral, Llama 3, Kimi K2, DeepSeek V3 and R1, GLM 4, Qwen3-Coder, MiniMax M2 and gpt-oss"

// writes reports whether a call, written by the template, is found again. A template that refuses the chat is believed.
func (m *Model) writes(k toolKind) bool {
	const name, value = "probed_function", "probed value"
	f := &ToolFormat{kind: k, use: ToolUse{Tools: []Tool{{Name: name, Description: "x"}}}}
	text, err := m.Render([]Message{{Role: "user", Content: "x"}, {Role: "assistant",
		ToolCalls: []ToolCall{{ID: "abcdef123", Name: name, Arguments: `{"key": "` + value + `"}`}}}}, false, f.use.Tools...)
	if err != nil {
		return true
	}
	end := strings.LastIndex(text, value)
	if end < 0 { // it writes no calls
		return true
	}
	from := strings.LastIndex(text[:end], k.open)
	at := strings.LastIndex(text[:end], name)
	if k.bare && from < 0 && at >= 0 {
		from = strings.LastIndex(text[:at], "{")
	}
	if k.name == "harmony" { // templates may name the function before the channel
		from = strings.LastIndex(text[:max(at, 0)], "<|start|>")
	}
	if from < 0 {
		return false
	}
	calls := f.Reader().Next(text[from:], true).Calls
	var args map[string]string
	return len(calls) > 0 && calls[0].Name == name && json.Unmarshal([]byte(calls[0].Arguments), &args) == nil && args["key"] == value
}

// mark finds the special tokens of the form: their texts must be seen.
func (f *ToolFormat) mark(m *Model) {
	for _, id := range m.tok.Special() {
		text, _ := m.tok.Token(id)
		k := &f.kind
		if slices.Contains([]string{k.open, k.close, k.named, k.begin, k.end, "[CALL_ID]", "<｜tool▁sep｜>"}, text) && text != "" ||
			k.name == "harmony" && slices.Contains(harmonyMarks, text) {
			f.marks = append(f.marks, id)
		}
	}
}

// restrict makes the grammar: of the whole answer if calls are required, of each call if all tools are strict.
func (f *ToolFormat) restrict() (err error) {
	strict := !slices.ContainsFunc(f.use.Tools, func(t Tool) bool { return !t.Strict })
	if !f.use.Required && (!strict || f.kind.bare) {
		return nil
	}
	if f.kind.tags != nil {
		return fault.New(fault.NotImplemented, op, "calls that are required, or held to a schema, in the form of %s, whose arguments are "+
			"no JSON; let the model choose, and leave Strict out", f.kind.name)
	}
	list := make([]grammar.Function, len(f.use.Tools))
	for i, t := range f.use.Tools {
		list[i] = grammar.Function{Name: t.Name, Schema: t.Parameters}
	}
	k := f.kind
	o := grammar.CallOptions{Arguments: k.arguments, Separator: k.named, Single: f.use.Single}
	switch {
	case k.name == "harmony":
		o.Single = true
	case k.begin != "":
		if k.name == "kimi" { // ids count the calls of an answer
			o.Separator, o.Single = ":0"+k.named, true
		}
		o.Between, o.End = k.fence+k.close+k.open+k.before, k.fence+k.close+k.end
	case k.list:
		o.Begin, o.Between, o.End = "[", ", ", "]"
	case k.named != "":
		o.Between = k.open
	case k.bare:
		o.Between = "; "
	default:
		o.Begin, o.Between, o.End = "\n", "\n"+k.close+"\n"+k.open+"\n", "\n"+k.close
	}
	if !f.use.Required {
		o.Single, f.after = o.Single || !k.list, k.open+k.before
		if k.begin != "" {
			o.End = k.fence + k.close
		}
	} else if !k.bare {
		f.Prefix = k.begin + k.open + k.before
	}
	f.rule, err = grammar.Calls(list, o)
	return err
}

// PromptIDs is ChatIDs with the tools, and with the beginning of the answer.
func (f *ToolFormat) PromptIDs(m *Model, messages []Message, plain bool, tools []Tool) ([]int, error) {
	ids, err := m.ChatIDs(messages, plain, tools...)
	if err != nil || f.Prefix == "" {
		return ids, err
	}
	begun, err := m.encode(f.Prefix, tokenizer.EncodeOptions{NoAdded: true})
	return append(ids, begun...), err
}

// Apply sets what a generation needs to write calls.
func (f *ToolFormat) Apply(o *Options) error {
	if f.rule != nil && o.Grammar != nil {
		return fault.New(fault.Value, op, "a grammar together with tools that hold the answer to their schemas; want one of them")
	}
	if f.rule != nil {
		o.Grammar, o.GrammarAfter = f.rule, f.after
	}
	o.ShowSpecial = append(slices.Clone(o.ShowSpecial), f.marks...)
	return nil
}

// newCallID makes the id of a call. Mistral's templates want nine letters and digits.
func (f *ToolFormat) newCallID() string {
	var b [12]byte
	_, _ = rand.Read(b[:])
	if f.kind.name == "mistral" {
		return hex.EncodeToString(b[:])[:9]
	}
	return "call_" + hex.EncodeToString(b[:])
}

// templateTools are tools as templates want them.
func templateTools(tools []Tool) ([]*template.Dict, error) {
	list := make([]*template.Dict, len(tools))
	for i, t := range tools {
		fn, one := &template.Dict{}, &template.Dict{}
		fn.Set("name", t.Name)
		fn.Set("description", t.Description)
		schema := t.Parameters
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type": "object", "properties": {}}`)
		}
		v, err := template.FromJSON(schema)
		if err != nil {
			return nil, fault.New(fault.Format, op, "the parameters of the tool %q: %v", t.Name, err)
		}
		fn.Set("parameters", v)
		one.Set("type", "function")
		one.Set("function", fn)
		list[i] = one
	}
	return list, nil
}

// templateMessage is a message as templates want it. none is the content of one that is calls alone: some templates want None there,
// others a text.
func templateMessage(m Message, none any) (*template.Dict, error) {
	d := &template.Dict{}
	d.Set("role", m.Role)
	if d.Set("content", m.Content); m.Content == "" && len(m.ToolCalls) > 0 {
		d.Set("content", none)
	}
	if m.Name != "" {
		d.Set("name", m.Name)
	}
	if m.ToolCallID != "" {
		d.Set("tool_call_id", m.ToolCallID)
	}
	if len(m.ToolCalls) == 0 {
		return d, nil
	}
	calls := make([]*template.Dict, len(m.ToolCalls))
	for i, c := range m.ToolCalls {
		args, err := template.FromJSON([]byte(c.Arguments))
		if err != nil {
			return nil, fault.New(fault.Format, op, "the arguments of the call of %q: %v", c.Name, err)
		}
		fn, one := &template.Dict{}, &template.Dict{}
		fn.Set("name", c.Name)
		fn.Set("arguments", args)
		one.Set("id", c.ID)
		one.Set("type", "function")
		one.Set("function", fn)
		calls[i] = one
	}
	d.Set("tool_calls", calls)
	return d, nil
}
