package llm

import (
	"context"
	"crypto/rand"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm/template"
	"github.com/lucid-go/lucid/llm/tokenizer"
)

// Message is one message of a chat.
type Message struct {
	Role    string // system, user or assistant
	Content string
}

// Prompt writes a chat as text in the form the model was trained on, up to where the assistant's answer begins.
func (m *Model) Prompt(messages []Message) (string, error) { return m.Render(messages, true) }

// Render writes a chat as text in the form the model was trained on. generation: what begins the assistant's answer follows.
func (m *Model) Render(messages []Message, generation bool) (string, error) {
	if m.chat == "" {
		return "", fault.New(fault.NotImplemented, op,
			"the files of the model have no chat template; use Generate with a prompt in the model's form")
	}
	t, err := template.Parse(m.chat)
	if err != nil {
		return "", err
	}
	list := make([]map[string]string, len(messages))
	for i, one := range messages {
		list[i] = map[string]string{"role": one.Role, "content": one.Content}
	}
	vars := map[string]any{"messages": list, "add_generation_prompt": generation}
	for name, id := range map[string]int{"bos_token": m.bos, "eos_token": m.eos} {
		if text, ok := m.tok.Token(id); ok && id >= 0 {
			vars[name] = text
		}
	}
	return t.Render(vars, template.Options{})
}

// EndToken returns the id of the token that ends a text, -1 if the files name none.
func (m *Model) EndToken() int {
	if m.eos < 0 && len(m.ends) > 0 {
		return m.ends[0]
	}
	return m.eos
}

// ChatIDs writes a chat as the ids of Prompt. plain: special tokens that are written in the messages are read as plain text, so that a
// message cannot end itself or speak for another role.
func (m *Model) ChatIDs(messages []Message, plain bool) ([]int, error) {
	whole := tokenizer.EncodeOptions{NoAdded: true} // the template writes the tokens that begin a text itself
	if !plain || !m.mentionsSpecial(messages) {
		prompt, err := m.Prompt(messages)
		if err != nil {
			return nil, err
		}
		return m.tok.EncodeWith(prompt, whole), nil
	}
	// The template is filled with marks, and its text cut at them.
	var key [16]byte
	_, _ = rand.Read(key[:])
	marked := slices.Clone(messages)
	for i := range marked {
		marked[i].Content = mark(key, i)
	}
	prompt, err := m.Prompt(marked)
	if err != nil {
		return nil, err
	}
	var ids []int
	for {
		at, which := len(prompt), -1
		for i := range messages {
			if j := strings.Index(prompt, mark(key, i)); j >= 0 && j < at {
				at, which = j, i
			}
		}
		if at > 0 {
			ids = append(ids, m.tok.EncodeWith(prompt[:at], whole)...)
		}
		if which < 0 {
			return ids, nil
		}
		ids = append(ids, m.tok.EncodeWith(messages[which].Content, tokenizer.EncodeOptions{NoAdded: true, SpecialAsText: true})...)
		prompt = prompt[at+len(mark(key, which)):]
	}
}

// mark stands for a message; no message holds it, since the key is random.
func mark(key [16]byte, i int) string { return fmt.Sprintf("%x.%d;", key, i) }

// mentionsSpecial reports whether a message has the text of a special token.
func (m *Model) mentionsSpecial(messages []Message) bool {
	for _, id := range m.tok.Special() {
		text, ok := m.tok.Token(id)
		if ok && text != "" && slices.ContainsFunc(messages, func(one Message) bool { return strings.Contains(one.Content, text) }) {
			return true
		}
	}
	return false
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
