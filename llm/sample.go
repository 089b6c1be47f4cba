package llm

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/lucid-go/lucid/internal/fault"
)

// Options say how text is generated. The zero value takes the most probable token every time, until the model ends the text or
// its context is full.
type Options struct {
	MaxTokens int // 0: no limit but the context

	Temperature float64 // logits are divided by it; 0: the most probable token
	TopK        int     // sample from so many of the most probable tokens; 0: all
	TopP        float64 // sample from the most probable tokens that have this probability together; 0: all
	MinP        float64 // sample from tokens with at least this share of the probability of the first; 0: all
	Seed        uint64  // of the random numbers: the same seed gives the same text

	// RepetitionPenalty divides positive logits of tokens that are in the text already, and multiplies negative ones; 0 and 1: none.
	RepetitionPenalty float64

	Stop      []string // texts that end the generation; they are not given out
	IgnoreEnd bool     // go on past tokens that end a text
	NoAdded   bool     // the prompt gets none of the tokens that the tokenizer puts before and after a text
	// SpecialAsText reads special tokens written in the prompt as plain text.
	SpecialAsText bool

	Cache *Cache // of the last generation, to continue from; nil: the prompt is evaluated whole
}

func (o *Options) check() {
	bad := func(name string, v any, want string) {
		fault.Throw(fault.Value, op, "%s is %v; want %s", name, v, want)
	}
	switch {
	case o.MaxTokens < 0:
		bad("MaxTokens", o.MaxTokens, "a number of tokens, or 0 for no limit")
	case !(o.Temperature >= 0) || math.IsInf(o.Temperature, 0):
		bad("Temperature", o.Temperature, "a finite number that is not negative")
	case o.TopK < 0:
		bad("TopK", o.TopK, "a number of tokens, or 0 for all")
	case !(o.TopP >= 0 && o.TopP <= 1):
		bad("TopP", o.TopP, "a probability, or 0 for all")
	case !(o.MinP >= 0 && o.MinP <= 1):
		bad("MinP", o.MinP, "a share from 0 to 1")
	case !(o.RepetitionPenalty >= 0) || math.IsInf(o.RepetitionPenalty, 0):
		bad("RepetitionPenalty", o.RepetitionPenalty, "a positive number, or 0 for none")
	case slices.Contains(o.Stop, ""):
		bad("Stop", `""`, "texts that are not empty")
	}
}

// sampler chooses tokens.
type sampler struct {
	o    Options
	rng  *rand.Rand
	seen map[int]bool // tokens of the text
	pick []candidate
}

type candidate struct {
	id int
	v  float64 // logit, then probability
}

func newSampler(o Options) *sampler {
	return &sampler{o: o, rng: rand.New(rand.NewPCG(o.Seed, 0x9e3779b97f4a7c15)), seen: map[int]bool{}}
}

// saw tells that tokens are in the text.
func (s *sampler) saw(ids ...int) {
	for _, id := range ids {
		s.seen[id] = true
	}
}

// next chooses a token and returns it with its logarithmic probability in the model's own distribution.
func (s *sampler) next(logits []float32) (id int, logProb float64) {
	sum := logSumExp(logits)
	raw := func(id int) float64 { return float64(logits[id]) - sum }
	adjusted := logits
	if p := s.o.RepetitionPenalty; p != 0 && p != 1 {
		adjusted = slices.Clone(logits)
		for id := range s.seen {
			if v := float64(adjusted[id]); v > 0 {
				adjusted[id] = float32(v / p)
			} else {
				adjusted[id] = float32(v * p)
			}
		}
	}
	if s.o.Temperature == 0 {
		id = largest(adjusted)
		return id, raw(id)
	}
	id = s.sample(adjusted)
	return id, raw(id)
}

// sample draws from the candidates that TopK, TopP and MinP leave, in this order, at the temperature.
func (s *sampler) sample(logits []float32) int {
	s.pick = s.pick[:0]
	for id, v := range logits {
		s.pick = append(s.pick, candidate{id, float64(v) / s.o.Temperature})
	}
	// Ties are broken by the id, so that the order does not depend on the sort.
	order := func(a, b candidate) int {
		if c := cmp.Compare(b.v, a.v); c != 0 {
			return c
		}
		return cmp.Compare(a.id, b.id)
	}
	slices.SortFunc(s.pick, order)
	p := s.pick
	if k := s.o.TopK; k > 0 && k < len(p) {
		p = p[:k]
	}
	first, sum := p[0].v, 0.0
	for i := range p {
		p[i].v = math.Exp(p[i].v - first)
		sum += p[i].v
	}
	if t := s.o.TopP; t > 0 && t < 1 {
		have := 0.0
		for i := range p {
			if have += p[i].v; have >= t*sum {
				p = p[:i+1]
				break
			}
		}
	}
	if s.o.MinP > 0 {
		n := 1
		for n < len(p) && p[n].v >= s.o.MinP*p[0].v {
			n++
		}
		p = p[:n]
	}
	sum = 0
	for _, c := range p {
		sum += c.v
	}
	at := s.rng.Float64() * sum
	for _, c := range p {
		if at -= c.v; at < 0 {
			return c.id
		}
	}
	return p[0].id // rounding, or logits that are not numbers
}

// largest returns the index of the largest number, the first of equal ones. NaN is passed over.
func largest(list []float32) int {
	at, most := 0, float32(math.Inf(-1))
	for i, v := range list {
		if v > most {
			at, most = i, v
		}
	}
	return at
}

func logSumExp(list []float32) float64 {
	most := float64(list[largest(list)])
	sum := 0.0
	for _, v := range list {
		sum += math.Exp(float64(v) - most)
	}
	return most + math.Log(sum)
}
