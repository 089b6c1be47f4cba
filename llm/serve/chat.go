package serve

import (
	"net/http"
	"time"

	"github.com/lucid-go/lucid/llm"
)

func (s *Server) chatCompletions(w http.ResponseWriter, r *http.Request) *failure {
	fields, bad := s.body(w, r)
	if bad != nil {
		return bad
	}
	q := &request{n: 1, o: llm.Options{Temperature: 1}}
	if bad := q.fill(fields, chatFields(s.o.MaxN)); bad != nil {
		return bad
	}
	if bad := s.begin(r.Context(), q); bad != nil {
		return bad
	}
	defer q.release()
	if q.messages == nil {
		return wrong("messages", "is missing")
	}
	if bad := q.chatPrompt(); bad != nil {
		return bad
	}
	q.predict()
	return s.respond(w, r, q, &chatShape{ID: newID("chatcmpl-"), Created: time.Now().Unix(), Model: q.model.name})
}

// chatShape is the form of chat completions.
type chatShape struct {
	ID      string
	Created int64
	Model   string
}

type chatChoice struct {
	Index    int        `json:"index"`
	Message  *chatText  `json:"message,omitempty"`
	Delta    *chatText  `json:"delta,omitempty"`
	LogProbs *chatProbs `json:"logprobs"`
	Finish   *string    `json:"finish_reason"`
}

type chatText struct {
	Role    string     `json:"role,omitempty"`
	Content *string    `json:"content"` // null if there are calls alone
	Refusal *string    `json:"refusal,omitempty"`
	Calls   []chatCall `json:"tool_calls,omitempty"`
}

type chatProbs struct {
	Content []chatProb `json:"content"`
	Refusal []chatProb `json:"refusal"`
}

type chatProb struct {
	Token   string     `json:"token"`
	LogProb float64    `json:"logprob"`
	Bytes   []int      `json:"bytes"`
	Top     []chatProb `json:"top_logprobs,omitempty"`
}

type chatAnswer struct {
	ID      string       `json:"id"`
	Object  string       `json:"object"`
	Created int64        `json:"created"`
	Model   string       `json:"model"`
	Choices []chatChoice `json:"choices"`
	Usage   *usage       `json:"usage,omitempty"`
}

func (f *chatShape) answer(object string, use *usage, choices ...chatChoice) chatAnswer {
	if choices == nil {
		choices = []chatChoice{}
	}
	return chatAnswer{f.ID, object, f.Created, f.Model, choices, use}
}

func (f *chatShape) whole(q *request, answers []answer, use usage) any {
	list := make([]chatChoice, len(answers))
	for i := range answers {
		a := &answers[i]
		m := &chatText{Role: "assistant", Content: &a.text, Calls: callsOf(a.calls)}
		if a.text == "" && len(a.calls) > 0 {
			m.Content = nil
		}
		list[i] = chatChoice{Index: i, Message: m, Finish: &a.finish, LogProbs: probsOf(q, a.tokens)}
	}
	return f.answer("chat.completion", &use, list...)
}

func (f *chatShape) start(_ *request, index int) []any {
	empty := ""
	return []any{f.answer("chat.completion.chunk", nil, chatChoice{Index: index, Delta: &chatText{Role: "assistant", Content: &empty}})}
}

func (f *chatShape) part(q *request, a *answer, t llm.Token) []any {
	d := &chatText{Content: &a.delta.Text, Calls: partsOf(a.delta.Calls)}
	if a.delta.Text == "" && q.format != nil {
		if d.Content = nil; len(d.Calls) == 0 && a.finish == "" && !q.logprobs { // held back
			return nil
		}
	}
	c := chatChoice{Index: a.index, Delta: d, LogProbs: probsOf(q, []llm.Token{t})}
	if a.finish != "" {
		c.Finish = &a.finish
	}
	return []any{f.answer("chat.completion.chunk", nil, c)}
}

func (f *chatShape) end(q *request, _ []answer, use usage) []any {
	if !q.usage {
		return []any{done}
	}
	return []any{f.answer("chat.completion.chunk", &use), done}
}

// probsOf lists the probabilities of tokens, nil if they were not asked for.
func probsOf(q *request, tokens []llm.Token) *chatProbs {
	if !q.logprobs {
		return nil
	}
	one := func(id int, p float64) chatProb {
		t := q.model.m.Tokenizer().Decode([]int{id})
		b := make([]int, len(t))
		for i := range len(t) {
			b[i] = int(t[i])
		}
		return chatProb{Token: t, LogProb: finite(p), Bytes: b}
	}
	all := &chatProbs{Content: []chatProb{}}
	for _, t := range tokens {
		p := one(t.ID, t.LogProb)
		p.Top = []chatProb{}
		for _, o := range t.Top {
			p.Top = append(p.Top, one(o.ID, o.LogProb))
		}
		all.Content = append(all.Content, p)
	}
	return all
}

// finite is a number that JSON can hold.
func finite(p float64) float64 {
	if p > -9999 && p <= 0 {
		return p
	}
	return -9999
}
