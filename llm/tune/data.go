package tune

import (
	"math/rand/v2"
	"slices"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm"
	"github.com/lucid-go/lucid/llm/tokenizer"
)

// Data is what a model is tuned on. It is a list of examples, which Text, Chats, Completions, Preferences and ReadData make.
type Data struct {
	list []source
}

// Len returns the number of examples as they were given; long texts are cut into several.
func (d Data) Len() int { return len(d.list) }

// source is an example as text. Exactly one of the fields is set.
type source struct {
	text   string
	chat   []llm.Message
	pair   *Completion
	choice *Preference
}

// Completion is a prompt with the text that shall follow it.
type Completion struct {
	Prompt     string
	Completion string
}

// Preference is a prompt with a better and a worse continuation, for the loss "dpo".
type Preference struct {
	Prompt   string
	Chosen   string
	Rejected string
}

// Text is plain texts, of which every token is learned.
func Text(texts ...string) (d Data) {
	for _, t := range texts {
		d.list = append(d.list, source{text: t})
	}
	return d
}

// Chats is conversations in the form of the model's chat template. What the assistant says is learned; see Options.LearnPrompts.
func Chats(chats ...[]llm.Message) (d Data) {
	for _, c := range chats {
		d.list = append(d.list, source{chat: slices.Clone(c)})
	}
	return d
}

// Completions is prompts with texts that follow them, which are learned. A model with a chat template sees the prompt as the user's
// message and the completion as its answer.
func Completions(pairs ...Completion) (d Data) {
	for _, p := range pairs {
		d.list = append(d.list, source{pair: &p})
	}
	return d
}

// Preferences is pairs of continuations, for the loss "dpo".
func Preferences(pairs ...Preference) (d Data) {
	for _, p := range pairs {
		d.list = append(d.list, source{choice: &p})
	}
	return d
}

// example is ids with the ones to learn. Preferences are two examples, one behind the other: chosen and rejected.
type example struct {
	ids   []int
	learn []bool // learn[i]: ids[i] shall be predicted from those before
}

func (e *example) targets() (n int) {
	for _, l := range e.learn[1:] {
		if l {
			n++
		}
	}
	return n
}

// encoder makes examples of sources.
type encoder struct {
	m       *llm.Model
	length  int  // the most tokens that are read at once
	prompts bool // learn prompts too
	dpo     bool
}

// encode returns all examples. Those that have nothing to learn within the length are left out.
func (e *encoder) encode(d Data) (list []example) {
	for i, s := range d.list {
		if (s.choice != nil) != e.dpo {
			fault.Throw(fault.Value, op, "example %d is %s; the loss %q", i, s.kind(), map[bool]string{true: "dpo wants preferences",
				false: "takes texts, chats and completions"}[e.dpo])
		}
		switch {
		case s.choice != nil:
			pair := []example{e.completion(i, s.choice.Prompt, s.choice.Chosen), e.completion(i, s.choice.Prompt, s.choice.Rejected)}
			if pair[0].targets() > 0 && pair[1].targets() > 0 {
				list = append(list, pair...)
			}
		case s.pair != nil:
			list = e.add(list, e.completion(i, s.pair.Prompt, s.pair.Completion))
		case s.chat != nil:
			list = e.add(list, e.chat(i, s.chat))
		default:
			list = e.windows(list, s.text)
		}
	}
	if len(list) == 0 {
		fault.Throw(fault.Value, op, "the data has no token to learn in %d examples", len(d.list))
	}
	return list
}

func (s *source) kind() string {
	switch {
	case s.choice != nil:
		return "a preference"
	case s.pair != nil:
		return "a completion"
	case s.chat != nil:
		return "a chat"
	}
	return "a text"
}

func (e *encoder) add(list []example, x example) []example {
	if x.targets() > 0 {
		list = append(list, x)
	}
	return list
}

// windows cuts a text. Each window begins with the last token of the one before, so that every token is predicted once.
func (e *encoder) windows(list []example, text string) []example {
	ids := e.ended(e.m.Tokenizer().Encode(text))
	for len(ids) > 1 {
		n := min(len(ids), e.length+1)
		x := example{ids: ids[:n], learn: make([]bool, n)}
		for i := range x.learn {
			x.learn[i] = true
		}
		list, ids = append(list, x), ids[n-1:]
	}
	return list
}

// ended appends the token that ends a text, if the model has one and the text does not end so.
func (e *encoder) ended(ids []int) []int {
	if end := e.m.EndToken(); end >= 0 && (len(ids) == 0 || ids[len(ids)-1] != end) {
		ids = append(ids, end)
	}
	return ids
}

// completion learns what follows the prompt.
func (e *encoder) completion(index int, prompt, text string) example {
	if e.m.HasChat() {
		return e.chat(index, []llm.Message{{Role: "user", Content: prompt}, {Role: "assistant", Content: text}})
	}
	given := e.m.Tokenizer().Encode(prompt)
	all := e.ended(e.m.Tokenizer().Encode(prompt + text))
	return e.cut(e.learned(all, []span{{common(given, all), len(all)}}))
}

type span struct{ from, to int }

// chat learns what the assistant says. A message is found by writing the chat up to it, with and without the answer.
func (e *encoder) chat(index int, messages []llm.Message) example {
	var spans []span
	encode := func(list []llm.Message, generation bool) []int {
		text, err := e.m.Render(list, generation)
		if err != nil {
			fault.Throw(fault.Value, op, "example %d: %v", index, err)
		}
		return e.m.Tokenizer().EncodeWith(text, tokenizer.EncodeOptions{NoAdded: true})
	}
	all := encode(messages, false)
	for i, m := range messages {
		if m.Role != "assistant" {
			continue
		}
		from := common(encode(messages[:i], true), all)
		spans = append(spans, span{from, common(encode(messages[:i+1], false), all)})
	}
	return e.cut(e.learned(all, spans))
}

// common is how many ids two lists begin with alike.
func common(a, b []int) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func (e *encoder) learned(ids []int, spans []span) example {
	x := example{ids: ids, learn: make([]bool, len(ids))}
	for _, s := range spans {
		for i := s.from; i < s.to; i++ {
			x.learn[i] = true
		}
	}
	if e.prompts {
		for i := range x.learn {
			x.learn[i] = true
		}
	}
	return x
}

// cut leaves out what is behind the length.
func (e *encoder) cut(x example) example {
	n := min(len(x.ids), e.length+1)
	if n == 0 {
		return example{ids: []int{0}, learn: []bool{false}}
	}
	return example{ids: x.ids[:n], learn: x.learn[:n]}
}

// order gives the examples in a new order in every epoch. The order follows from the seed and the number of the epoch alone, so
// that a position is one number.
type order struct {
	n, each int // examples are taken in groups of each
	seed    uint64
	plain   bool // as given
	epoch   int
	perm    []int
}

// at returns the index of the i-th group of a run.
func (o *order) at(i int) int {
	groups := o.n / o.each
	if o.plain {
		return i % groups
	}
	if e := i / groups; o.perm == nil || e != o.epoch {
		o.epoch, o.perm = e, rand.New(rand.NewPCG(o.seed, uint64(e))).Perm(groups)
	}
	return o.perm[i%groups]
}
