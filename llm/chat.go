package llm

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm/template"
	"github.com/lucid-go/lucid/llm/tokenizer"
)

// Message is one message of a chat.
type Message struct {
	Role       string // system, user, assistant or tool
	Content    string
	ToolCalls  []ToolCall // of an assistant
	ToolCallID string     // of a tool: the call that Content is the result of
	Name       string     // of the tool, or of who speaks; most templates write none
}

// Prompt writes a chat as text in the form the model was trained on, up to where the assistant's answer begins.
func (m *Model) Prompt(messages []Message, tools ...Tool) (string, error) {
	return m.Render(messages, true, tools...)
}

// Render writes a chat as text in the form the model was trained on. generation: what begins the assistant's answer follows. Tools are
// those that the assistant may call.
func (m *Model) Render(messages []Message, generation bool, tools ...Tool) (string, error) {
	if m.chat == "" {
		return "", fault.New(fault.NotImplemented, op,
			"the files of the model have no chat template; use Generate with a prompt in the model's form")
	}
	m.parseOnce.Do(func() { m.parsed, m.parseErr = template.Parse(m.chat) })
	t, err := m.parsed, m.parseErr
	if err != nil {
		return "", err
	}
	vars := map[string]any{"add_generation_prompt": generation}
	if len(tools) > 0 {
		if vars["tools"], err = templateTools(tools); err != nil {
			return "", err
		}
	}
	for name, id := range map[string]int{"bos_token": m.bos, "eos_token": m.eos} {
		if text, ok := m.tok.Token(id); ok && id >= 0 {
			vars[name] = text
		}
	}
	text := ""
	for _, none := range []any{nil, ""} {
		list := make([]*template.Dict, len(messages))
		for i, one := range messages {
			if list[i], err = templateMessage(one, none); err != nil {
				return "", err
			}
		}
		vars["messages"] = list
		text, err = t.Render(vars, template.Options{})
		if err == nil || !slices.ContainsFunc(messages, func(m Message) bool { return m.Content == "" && len(m.ToolCalls) > 0 }) {
			break
		}
	}
	return text, err
}

// EndToken returns the id of the token that ends a text, -1 if the files name none.
func (m *Model) EndToken() int {
	if m.eos < 0 && len(m.ends) > 0 {
		return m.ends[0]
	}
	return m.eos
}

// ChatIDs writes a chat as the ids of Prompt. plain: special tokens that are written in messages and tools are read as plain text, so
// that a message cannot end itself or speak for another role.
func (m *Model) ChatIDs(messages []Message, plain bool, tools ...Tool) ([]int, error) {
	marks := marker{m: m}
	if plain {
		messages, tools = marks.all(messages, tools)
	}
	prompt, err := m.Prompt(messages, tools...)
	if err != nil {
		return nil, err
	}
	var ids []int
	for { // the template's text is cut at the marks
		at, which := marks.next(prompt)
		if at > 0 {
			// The template writes the tokens that begin a text itself.
			part, err := m.encode(prompt[:at], tokenizer.EncodeOptions{NoAdded: true})
			if err != nil {
				return nil, err
			}
			ids = append(ids, part...)
		}
		if which < 0 {
			return ids, nil
		}
		part, err := m.encode(marks.texts[which], tokenizer.EncodeOptions{NoAdded: true, SpecialAsText: true})
		if err != nil {
			return nil, err
		}
		ids = append(ids, part...)
		prompt = prompt[at+len(marks.mark(which)):]
	}
}

// marker replaces the texts of special tokens by marks that no special token is in.
type marker struct {
	m       *Model
	special []string // longer ones first
	texts   []string // what the marks stand for
	key     [16]byte
}

// all returns copies of messages and tools with marks, or themselves if there is nothing to mark.
func (k *marker) all(messages []Message, tools []Tool) ([]Message, []Tool) {
	for _, id := range k.m.tok.Special() {
		if text, ok := k.m.tok.Token(id); ok && text != "" {
			k.special = append(k.special, text)
		}
	}
	slices.SortFunc(k.special, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	_, _ = rand.Read(k.key[:])
	messages, tools = slices.Clone(messages), slices.Clone(tools)
	for i := range messages {
		c := &messages[i]
		for _, s := range []*string{&c.Content, &c.Name, &c.ToolCallID} {
			*s = k.replace(*s)
		}
		c.ToolCalls = slices.Clone(c.ToolCalls)
		for j := range c.ToolCalls {
			call := &c.ToolCalls[j]
			call.ID, call.Name, call.Arguments = k.replace(call.ID), k.replace(call.Name), k.replace(unescaped(call.Arguments))
		}
	}
	for i := range tools {
		t := &tools[i]
		t.Name, t.Description = k.replace(t.Name), k.replace(t.Description)
		t.Parameters = json.RawMessage(k.replace(unescaped(string(t.Parameters))))
	}
	return messages, tools
}

// escape is a character of a JSON text that needs no escape, or a pair of surrogates.
var escape = regexp.MustCompile(`\\(\\|"|/|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4})`)

// unescaped is JSON text with the characters themselves where they are escaped without need, so that special tokens are found in it.
func unescaped(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	return escape.ReplaceAllStringFunc(text, func(e string) string {
		var s string
		if json.Unmarshal([]byte(`"`+e+`"`), &s) != nil || s < " " || s == `"` || s == `\` {
			return e
		}
		return s
	})
}

// replace puts a mark at every special token.
func (k *marker) replace(text string) string {
	if !slices.ContainsFunc(k.special, func(s string) bool { return strings.Contains(text, s) }) {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); {
		j := slices.IndexFunc(k.special, func(s string) bool { return strings.HasPrefix(text[i:], s) })
		if j < 0 {
			out.WriteByte(text[i])
			i++
			continue
		}
		k.texts = append(k.texts, k.special[j])
		out.WriteString(k.mark(len(k.texts) - 1))
		i += len(k.special[j])
	}
	return out.String()
}

// mark stands for a text; no message holds it, since the key is random.
func (k *marker) mark(i int) string { return fmt.Sprintf("%x.%d;", k.key, i) }

// next finds the first mark in a text; which is -1 if there is none, and at its length.
func (k *marker) next(text string) (at, which int) {
	if len(k.texts) == 0 {
		return len(text), -1
	}
	head := fmt.Sprintf("%x.", k.key)
	at = strings.Index(text, head)
	if at < 0 {
		return len(text), -1
	}
	number, _, _ := strings.Cut(text[at+len(head):], ";")
	which, err := strconv.Atoi(number)
	if err != nil || which < 0 || which >= len(k.texts) { // a template that takes texts apart
		return len(text), -1
	}
	return at, which
}

// Chat generates the answer to messages. Special tokens that are written in them are read as such, unless Options.SpecialAsText is set:
// programs that pass on text of strangers should set it.
func (m *Model) Chat(ctx context.Context, messages []Message, o Options) iter.Seq2[Token, error] {
	return func(yield func(Token, error) bool) {
		ids, err := m.ChatIDs(messages, o.SpecialAsText)
		if err == nil {
			err = fault.Catch(o.check)
		}
		if err != nil {
			yield(Token{}, err)
			return
		}
		m.continued(ctx, ids, o)(yield)
	}
}

// HasChat reports whether the files have a chat template.
func (m *Model) HasChat() bool { return m.chat != "" }
