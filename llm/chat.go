package llm

import (
	"context"
	"iter"

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

// Chat generates the answer to messages. Special tokens that are written in them are read as such: programs that pass on text
// of strangers should take them out first.
func (m *Model) Chat(ctx context.Context, messages []Message, o Options) iter.Seq2[Token, error] {
	return func(yield func(Token, error) bool) {
		prompt, err := m.Prompt(messages)
		if err == nil {
			err = fault.Catch(o.check)
		}
		if err != nil {
			yield(Token{}, err)
			return
		}
		// The template writes the tokens that begin a text itself.
		m.continued(ctx, m.tok.EncodeWith(prompt, tokenizer.EncodeOptions{NoAdded: true}), o)(yield)
	}
}

// HasChat reports whether the files have a chat template.
func (m *Model) HasChat() bool { return m.chat != "" }
