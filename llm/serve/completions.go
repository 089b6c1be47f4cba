package serve

import (
	"net/http"
	"time"

	"github.com/lucid-go/lucid/llm"
)

func (s *Server) completions(w http.ResponseWriter, r *http.Request) *failure {
	fields, bad := s.body(w, r)
	if bad != nil {
		return bad
	}
	q := &request{n: 1, maxTokens: 16, o: llm.Options{Temperature: 1}}
	if bad := q.fill(fields, textFields(s.o.MaxN)); bad != nil {
		return bad
	}
	if bad := s.begin(r.Context(), q); bad != nil {
		return bad
	}
	defer q.release()
	if bad := q.promptsOf(); bad != nil {
		return bad
	}
	if n := len(q.prompts) * int(q.n); n > s.o.MaxN*4 {
		return wrong("prompt", "%d prompts with n %d; want at most %d answers", len(q.prompts), q.n, s.o.MaxN*4)
	}
	return s.respond(w, r, q, &textShape{ID: newID("cmpl-"), Created: time.Now().Unix(), Model: q.model.name})
}

// textShape is the form of completions.
type textShape struct {
	ID      string
	Created int64
	Model   string
	offsets map[int]int
}

type textChoice struct {
	Index    int        `json:"index"`
	Text     string     `json:"text"`
	LogProbs *textProbs `json:"logprobs"`
	Finish   *string    `json:"finish_reason"`
}

type textProbs struct {
	Tokens   []string             `json:"tokens"`
	LogProbs []float64            `json:"token_logprobs"`
	Top      []map[string]float64 `json:"top_logprobs"`
	Offsets  []int                `json:"text_offset"`
}

type textAnswer struct {
	ID      string       `json:"id"`
	Object  string       `json:"object"`
	Created int64        `json:"created"`
	Model   string       `json:"model"`
	Choices []textChoice `json:"choices"`
	Usage   *usage       `json:"usage,omitempty"`
}

func (f *textShape) answer(use *usage, choices ...textChoice) textAnswer {
	if choices == nil {
		choices = []textChoice{}
	}
	return textAnswer{f.ID, "text_completion", f.Created, f.Model, choices, use}
}

// echoed is the prompt of an answer, if it was asked for.
func echoed(q *request, index int) string {
	if !q.echo {
		return ""
	}
	return q.model.m.Tokenizer().Decode(q.prompts[index/int(q.n)])
}

func (f *textShape) whole(q *request, answers []answer, use usage) any {
	list := make([]textChoice, len(answers))
	for i := range answers {
		a := &answers[i]
		list[i] = textChoice{Index: i, Text: echoed(q, i) + a.text, Finish: &a.finish, LogProbs: f.probs(q, i, a.tokens)}
	}
	return f.answer(&use, list...)
}

func (f *textShape) start(q *request, index int) []any {
	if !q.echo {
		return nil
	}
	return []any{f.answer(nil, textChoice{Index: index, Text: echoed(q, index)})}
}

func (f *textShape) part(q *request, a *answer, t llm.Token) []any {
	c := textChoice{Index: a.index, Text: t.Text, LogProbs: f.probs(q, a.index, []llm.Token{t})}
	if a.finish != "" {
		c.Finish = &a.finish
	}
	return []any{f.answer(nil, c)}
}

func (f *textShape) end(q *request, _ []answer, use usage) []any {
	if !q.usage {
		return []any{done}
	}
	return []any{f.answer(&use), done}
}

// probs lists the probabilities of tokens, nil if they were not asked for.
func (f *textShape) probs(q *request, index int, tokens []llm.Token) *textProbs {
	if !q.logprobs {
		return nil
	}
	if f.offsets == nil {
		f.offsets = map[int]int{}
	}
	tok, p := q.model.m.Tokenizer(), &textProbs{Tokens: []string{}, LogProbs: []float64{}, Top: []map[string]float64{}, Offsets: []int{}}
	for _, t := range tokens {
		top := map[string]float64{}
		for _, o := range t.Top {
			top[tok.Decode([]int{o.ID})] = finite(o.LogProb)
		}
		text := tok.Decode([]int{t.ID})
		p.Tokens, p.LogProbs, p.Top = append(p.Tokens, text), append(p.LogProbs, finite(t.LogProb)), append(p.Top, top)
		p.Offsets = append(p.Offsets, f.offsets[index])
		f.offsets[index] += len(text)
	}
	return p
}
