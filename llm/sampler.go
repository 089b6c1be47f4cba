package llm

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm/grammar"
)

// sampler chooses the tokens of one text.
type sampler struct {
	o       Options
	rng     *rand.Rand
	ids     []int // the text
	prompt  int   // how many of them were given
	pick    []candidate
	logits  []float32 // changed copy
	breaker func(id int) bool
	mu      float64 // mirostat's bound
	m       *Model
	match   *grammar.Matcher // nil: no grammar, or not yet
	tail    string           // the last bytes of the text, to find Options.GrammarAfter
}

type candidate struct {
	id int
	v  float64 // logit, then probability
}

// TokenProb is a token with its logarithmic probability in the model's own distribution.
type TokenProb struct {
	ID      int
	LogProb float64
}

// newSampler begins a text.
func (m *Model) newSampler(o Options, prompt []int) *sampler {
	s := &sampler{o: o, rng: rand.New(rand.NewPCG(o.Seed, 0x9e3779b97f4a7c15)), ids: slices.Clone(prompt), prompt: len(prompt)}
	s.mu = 2 * o.Mirostat
	s.m, s.breaker = m, breakers(o.DRY, m.tokenText)
	if o.Grammar != nil && o.GrammarAfter == "" {
		s.match = o.Grammar.Match(m.vocabularyTree())
	}
	return s
}

// scores are the logits of the next token, and the logarithm of the sum of their exponentials.
type scores struct {
	logits []float32 // nil: few are enough
	sum    float64
	few    []candidate // the largest, in order
}

// next chooses a token and returns it with its logarithmic probability in the model's own distribution.
func (s *sampler) next(y scores) (t Token, err error) {
	if y.logits == nil {
		c := s.amongFew(y.few)
		s.ids = append(s.ids, c.id)
		return Token{ID: c.id, LogProb: c.v - y.sum}, nil
	}
	logits, sum := y.logits, y.sum
	s.logits = append(s.logits[:0], logits...)
	s.adjust(s.logits)
	if s.match != nil {
		if err := s.restrict(s.logits); err != nil {
			return t, err
		}
	}
	if s.o.Temperature == 0 {
		t.ID = largest(s.logits)
	} else {
		t.ID = s.sample(s.logits)
	}
	t.LogProb = float64(logits[t.ID]) - sum
	if n := s.o.TopLogProbs; n > 0 {
		for _, c := range s.first(logits, min(n, len(logits))) {
			t.Top = append(t.Top, TokenProb{c.id, c.v - sum})
		}
	}
	s.ids = append(s.ids, t.ID)
	if s.match != nil && !slices.Contains(s.m.ends, t.ID) && !s.match.Accept(t.ID) {
		return t, fault.New(fault.Value, op, "no token of the model may follow by the grammar")
	}
	if s.o.GrammarAfter != "" {
		s.follow(t.ID)
	}
	return t, nil
}

// follow lets the grammar begin behind Options.GrammarAfter, and end where it is complete.
func (s *sampler) follow(id int) {
	if s.match != nil {
		if s.match.Final() {
			s.match, s.tail = nil, ""
		}
		return
	}
	if slices.Contains(s.o.ShowSpecial, id) {
		text, _ := s.m.tok.Token(id)
		s.tail += text
	} else {
		s.tail += string(s.m.vocabularyTree().Bytes(id))
	}
	after := s.o.GrammarAfter
	if i := strings.Index(s.tail, after); i >= 0 {
		s.match = s.o.Grammar.Match(s.m.vocabularyTree())
		if !s.match.AcceptText(s.tail[i+len(after):]) { // the token that completed it went on with something else
			s.match = nil
		}
		s.tail = ""
	}
	s.tail = s.tail[max(0, len(s.tail)-len(after)+1):]
}

// restrict excludes the tokens that the grammar does not allow. Those that end a text are allowed where it may end.
func (s *sampler) restrict(logits []float32) error {
	mask, err := s.match.Mask()
	if err != nil {
		return err
	}
	low := float32(math.Inf(-1))
	ends := make([]float32, len(s.m.ends))
	for i, id := range s.m.ends {
		ends[i] = logits[id]
	}
	for from := 0; from < len(logits); from += 64 {
		word := uint64(0)
		if from/64 < len(mask) {
			word = mask[from/64]
		}
		for i := range logits[from:min(from+64, len(logits))] {
			if word>>i&1 == 0 {
				logits[from+i] = low
			}
		}
	}
	if s.match.Accepts() {
		for i, id := range s.m.ends {
			logits[id] = ends[i]
		}
	}
	return nil
}

// complete reports whether the text is one that the grammar lets nothing follow.
func (s *sampler) complete() bool { return s.match != nil && s.o.GrammarAfter == "" && s.match.Final() }

// vocabularyTree makes the tree of tokens the first time it is asked for.
func (m *Model) vocabularyTree() *grammar.Vocabulary {
	m.treeOnce.Do(func() { m.tree = grammar.NewVocabulary(m.tok.TokenBytes()) })
	return m.tree
}

// adjust applies what changes logits: penalties, biases, processors.
func (s *sampler) adjust(logits []float32) {
	from := 0
	if w := s.o.PenaltyWindow; w > 0 {
		from = max(0, len(s.ids)-w)
	}
	if p := s.o.RepetitionPenalty; p != 0 && p != 1 {
		seen := map[int]bool{}
		for _, id := range s.ids[from:] {
			if seen[id] {
				continue
			}
			seen[id] = true
			if v := float64(logits[id]); v > 0 {
				logits[id] = float32(v / p)
			} else {
				logits[id] = float32(v * p)
			}
		}
	}
	if s.o.PresencePenalty != 0 || s.o.FrequencyPenalty != 0 {
		count := map[int]int{}
		for _, id := range s.ids[max(from, s.prompt):] {
			count[id]++
		}
		for id, n := range count {
			logits[id] -= float32(s.o.PresencePenalty + float64(n)*s.o.FrequencyPenalty)
		}
	}
	if s.o.DRY.Multiplier > 0 {
		s.dry(logits)
	}
	for id, v := range s.o.LogitBias {
		if id < len(logits) {
			logits[id] += float32(v)
		}
	}
	for _, f := range s.o.Processors {
		f(s.ids, logits)
	}
}

// byValue sorts larger ones first. Ties are broken by the id, so that the order does not depend on the sort.
func byValue(a, b candidate) int {
	if c := cmp.Compare(b.v, a.v); c != 0 {
		return c
	}
	return cmp.Compare(a.id, b.id)
}

// first returns the n largest logits in order.
func (s *sampler) first(logits []float32, n int) []candidate {
	heap := make([]candidate, 0, n+1) // sorted: n is small
	for id, v := range logits {
		c := candidate{id, float64(v)}
		if len(heap) == n && byValue(c, heap[n-1]) >= 0 || c.v != c.v {
			continue
		}
		at, _ := slices.BinarySearchFunc(heap, c, byValue)
		if heap = slices.Insert(heap, at, c); len(heap) > n {
			heap = heap[:n]
		}
	}
	return heap
}

// sample takes one of the candidates that the filters leave, in this order: temperature, TopK, TopP, MinP, Typical, XTC. Each sees the
// distribution that the one before left.
func (s *sampler) sample(logits []float32) int {
	p := s.scaled(s.candidates(logits))
	if s.o.Mirostat > 0 {
		return s.mirostat(p)
	}
	return s.draw(s.filter(p))
}

// filter leaves some candidates.
func (s *sampler) filter(p []candidate) []candidate {
	if t := s.o.TopP; t > 0 && t < 1 {
		p = nucleus(p, t)
	}
	if m := s.o.MinP; m > 0 {
		most := 0.0
		for _, c := range p {
			most = max(most, c.v)
		}
		p = slices.DeleteFunc(p, func(c candidate) bool { return c.v < m*most })
	}
	if t := s.o.Typical; t > 0 && t < 1 {
		p = typical(p, t)
	}
	if x := s.o.XTC; x > 0 && s.rng.Float64() < x {
		p = s.exclude(p)
	}
	return p
}

// mostFirst is the largest TopK for which the first ones are not found by sorting all.
const mostFirst = 1000

// candidates are the tokens of TopK with their logits.
func (s *sampler) candidates(logits []float32) []candidate {
	p := s.pick[:0]
	if k := s.o.TopK; k > 0 && k < len(logits) && k <= mostFirst {
		p = append(p, s.first(logits, k)...)
	} else {
		for id, v := range logits {
			if v == v && !math.IsInf(float64(v), -1) {
				p = append(p, candidate{id, float64(v)})
			}
		}
		if k > 0 && k < len(p) {
			slices.SortFunc(p, byValue)
			p = p[:k]
		}
	}
	if len(p) == 0 { // all are excluded, or not numbers
		p = append(p, candidate{largest(logits), 0})
	}
	return p
}

// scaled makes e^(logit/temperature) of the logits of candidates, so that the largest is 1.
func (s *sampler) scaled(p []candidate) []candidate {
	most := p[0].v
	for _, c := range p {
		most = max(most, c.v)
	}
	n := 0
	for _, c := range p {
		x := (c.v - most) / s.o.Temperature
		if x < least {
			continue
		}
		if c.v = math.Exp(x); math.IsInf(most, 1) && c.v != c.v {
			c.v = 1
		}
		p[n] = c
		n++
	}
	s.pick = p[:n]
	return s.pick
}

// least is the logarithm of the smallest probability, as a share of the largest, that is not taken for zero.
const least = -45

func total(p []candidate) (sum float64) {
	for _, c := range p {
		sum += c.v
	}
	return sum
}

// nucleus leaves the most probable candidates that have a share of the probability together. Only those above a bound are sorted.
func nucleus(p []candidate, share float64) []candidate {
	want := share * total(p)
	for bound := 1e-2; ; bound *= 1e-2 {
		if bound < 1e-12 {
			bound = 0
		}
		mass := 0.0
		for _, c := range p {
			if c.v >= bound {
				mass += c.v
			}
		}
		if mass >= want || bound == 0 {
			p = slices.DeleteFunc(p, func(c candidate) bool { return c.v < bound })
			break
		}
	}
	slices.SortFunc(p, byValue)
	have := 0.0
	for i := range p {
		if have += p[i].v; have >= want {
			return p[:i+1]
		}
	}
	return p
}

// typical leaves the candidates whose surprise is nearest to the entropy.
func typical(p []candidate, share float64) []candidate {
	sum, entropy := total(p), 0.0
	for _, c := range p {
		if c.v > 0 {
			entropy -= c.v / sum * math.Log(c.v/sum)
		}
	}
	far := func(c candidate) float64 { return math.Abs(-math.Log(c.v/sum) - entropy) }
	slices.SortFunc(p, func(a, b candidate) int {
		if c := cmp.Compare(far(a), far(b)); c != 0 {
			return c
		}
		return cmp.Compare(a.id, b.id)
	})
	have := 0.0
	for i := range p {
		if have += p[i].v; have >= share*sum {
			return p[:i+1]
		}
	}
	return p
}

// exclude leaves out the top choices but the last of them.
func (s *sampler) exclude(p []candidate) []candidate {
	bound := s.o.XTCThreshold
	if bound == 0 {
		bound = 0.1
	}
	slices.SortFunc(p, byValue)
	sum, n := total(p), 0
	for n < len(p) && p[n].v >= bound*sum {
		n++
	}
	if n < 2 || bound > 0.5 {
		return p
	}
	return p[n-1:]
}

// mirostat takes candidates up to a bound on their surprise, and moves the bound by the surprise of the token it takes.
func (s *sampler) mirostat(p []candidate) int {
	slices.SortFunc(p, byValue)
	sum, n := total(p), 1
	for n < len(p) && -math.Log2(p[n].v/sum) <= s.mu {
		n++
	}
	p = p[:n]
	id := s.draw(p)
	rate := s.o.MirostatRate
	if rate == 0 {
		rate = 0.1
	}
	sum = total(p)
	for _, c := range p {
		if c.id == id {
			s.mu -= rate * (-math.Log2(c.v/sum) - s.o.Mirostat)
		}
	}
	return id
}

func (s *sampler) draw(p []candidate) int {
	at := s.rng.Float64() * total(p)
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
