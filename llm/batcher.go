package llm

import (
	"context"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
)

// BatcherOptions bound what a Batcher does at the same time.
type BatcherOptions struct {
	Sequences int   // texts that are generated together; 0: 8
	Queue     int   // texts that wait; 0: 64
	Bytes     int64 // memory of keys and values, of texts and of the prefixes that are stored; 0: 1 GiB
	// Chunk is how many tokens of prompts are read in a step in which other texts go on; if there are none, four times as many. Fewer
	// make the other texts wait less, and a text whose reader left ends sooner; 0: 32 on the CPU, 64 elsewhere.
	Chunk int
	Cache CacheOptions // how keys and values are stored
	// PrefixTokens is the shortest beginning that a prompt shares with an earlier text for it to be reused; 0: 16, -1: none are stored.
	PrefixTokens int
	// Speculate says where guesses of next tokens come from. Steps of few texts evaluate them, as long as enough of a text's guesses are
	// right; Tokens is the most for one text, 0: as many as pay. nil: a Lookup of 16 on the CPU, where texts are the same bit for bit, and
	// none elsewhere. A Speculate without Draft and Lookup: no guesses but those of Options.Prediction. Keys and values of a Draft count as
	// part of Bytes.
	Speculate *Speculate
}

// Limits of BatcherOptions.
const (
	maxSequences = 1024
	maxQueue     = 1 << 20
	maxChunk     = 1 << 24
	maxPages     = 1 << 24
)

// Batcher generates several texts at once: each step computes the next token of all of them, so that the weights are read once.
// Texts join and leave between steps; prompts are read in parts, in the steps of others; a beginning that was evaluated for
// another text is not evaluated again. A text is the same, bit for bit on a CPU, as if it were generated alone. Methods are safe
// for concurrent use. An idle Batcher uses no processor time.
type Batcher struct {
	m *Model
	o BatcherOptions

	pageBytes int64 // of a block, with that of the draft

	mu      sync.Mutex
	waiting []*sequence
	active  []*sequence
	running bool
	closed  bool
	stats   BatcherStats
	idle    sync.WaitGroup

	// Of the goroutine that runs, and of Close behind it.
	tree   *prefixTree
	draft  *drafter     // nil: none
	pages  atomic.Int64 // blocks that are in use, or promised to texts that may still grow
	stored atomic.Int64 // nodes of the tree
}

// BatcherStats count what a Batcher has done.
type BatcherStats struct {
	Active, Waiting int   // texts now
	Bytes           int64 // of keys and values now
	Stored          int   // parts of texts whose keys and values are stored, for prompts that begin alike
	Prompt          int64 // tokens of prompts that were evaluated
	Reused          int64 // tokens of prompts that were not, because an earlier text began alike
	Generated       int64 // tokens
	Guessed         int64 // tokens that were guessed ahead and evaluated
	Right           int64 // guesses that became tokens of their texts
	Steps           int64 // evaluations of the model
}

// Errors of a Batcher that has no room. Both are worth another try later.
var (
	ErrQueueFull = fault.New(fault.OutOfMemory, op, "the queue of the batcher is full")
	ErrClosed    = fault.New(fault.Canceled, op, "the batcher is closed")
)

// NewBatcher returns a Batcher of the model.
func (m *Model) NewBatcher(o BatcherOptions) (*Batcher, error) {
	zero := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	zero(&o.Sequences, 8)
	zero(&o.Queue, 64)
	chunk := 64
	if m.net.Placement().Device == lucid.CPU { // a step of 64 there takes several times as long as one without a prompt
		chunk = 32
	}
	zero(&o.Chunk, chunk)
	zero(&o.PrefixTokens, 16)
	if o.Bytes == 0 {
		o.Bytes = 1 << 30
	}
	switch {
	case o.Sequences < 1 || o.Sequences > maxSequences:
		return nil, fault.New(fault.Value, op, "Sequences is %d; want 1 to %d", o.Sequences, maxSequences)
	case o.Queue < 1 || o.Queue > maxQueue:
		return nil, fault.New(fault.Value, op, "Queue is %d; want 1 to %d", o.Queue, maxQueue)
	case o.Chunk < 1 || o.Chunk > maxChunk:
		return nil, fault.New(fault.Value, op, "Chunk is %d; want 1 to %d tokens", o.Chunk, maxChunk)
	case o.PrefixTokens < -1:
		return nil, fault.New(fault.Value, op, "PrefixTokens is %d; want a number of tokens, or -1 for none", o.PrefixTokens)
	}
	if err := fault.Catch(o.Cache.check); err != nil {
		return nil, err
	}
	if err := m.checkGuesses(&o); err != nil {
		return nil, err
	}
	each := m.pageBytes(o.Cache.Bits)
	if d := o.Speculate.Draft; d != nil {
		each += d.pageBytes(o.Cache.Bits)
	}
	if o.Bytes < each {
		return nil, fault.New(fault.Value, op, "Bytes is %d; the shortest text takes %d", o.Bytes, each)
	}
	if c := m.net.Config(); c.LengthScaled() { // keys of a cache are of no use in one of another capacity
		o.PrefixTokens = -1
	}
	most := int(min(o.Bytes/each, maxPages))
	b := &Batcher{m: m, o: o, pageBytes: each, tree: &prefixTree{pool: &pagePool{m: m, bits: o.Cache.Bits, most: most}}}
	if d := o.Speculate.Draft; d != nil {
		b.draft = &drafter{m: d, tree: &prefixTree{pool: &pagePool{m: d, bits: o.Cache.Bits, most: most}}}
		b.draft.cost = draftOverhead * float64(d.Bytes()) / float64(max(1, m.Bytes()))
	}
	return b, nil
}

// cacheBytes is the memory of a cache.
func (m *Model) cacheBytes(capacity, bits int) (n int64) {
	m.bytesOnce.Do(func() {
		for _, t := range m.net.NewCache(1) {
			m.tokenBytes[0] += int64(t.NBytes())
			m.tokenBytes[1] += int64(t.NumElement() + 4*t.Size(1))
			t.Free()
		}
	})
	if bits == 8 {
		return m.tokenBytes[1] * int64(capacity)
	}
	return m.tokenBytes[0] * int64(capacity)
}

// Stats returns what is going on.
func (b *Batcher) Stats() BatcherStats {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.stats
	s.Active, s.Waiting, s.Stored = len(b.active), len(b.waiting), int(b.stored.Load())
	s.Bytes = b.pages.Load() * b.pageBytes
	return s
}

// Full reports whether the queue has no room: a text that is submitted now gets ErrQueueFull.
func (b *Batcher) Full() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.waiting) >= b.o.Queue
}

// Generate is Model.Generate as one of the texts of the batcher. Options.Cache must be nil.
func (b *Batcher) Generate(ctx context.Context, prompt string, o Options) iter.Seq2[Token, error] {
	return func(yield func(Token, error) bool) {
		ids, err := b.m.promptIDs(prompt, o)
		if err != nil {
			yield(Token{}, err)
			return
		}
		b.GenerateIDs(ctx, ids, o)(yield)
	}
}

// GenerateIDs is Model.GenerateIDs as one of the texts of the batcher. It waits in the queue when the loop over it begins.
func (b *Batcher) GenerateIDs(ctx context.Context, ids []int, o Options) iter.Seq2[Token, error] {
	return func(yield func(Token, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		q, err := b.submit(ctx, ids, o)
		if err != nil {
			yield(Token{}, err)
			return
		}
		defer b.leave(q)
		for {
			t, err := q.next(ctx)
			if err != nil {
				yield(Token{}, err)
				return
			}
			if !yield(t, nil) || t.Finish != "" {
				return
			}
		}
	}
}

// submit checks a request and puts it into the queue.
func (b *Batcher) submit(ctx context.Context, ids []int, o Options) (*sequence, error) {
	err := fault.Catch(func() {
		o.check()
		b.m.checkPrompt(ids, o.Prediction)
		if o.Cache != nil {
			fault.Throw(fault.Value, op, "Options.Cache with a batcher, which has caches of its own; set it to nil")
		}
		if o.Speculate != (Speculate{}) || o.Rotate != (Rotate{}) {
			fault.Throw(fault.NotImplemented, op, "Options.Speculate or Options.Rotate with a batcher; use BatcherOptions.Speculate, or "+
				"Generate for the text")
		}
	})
	if err != nil {
		return nil, err
	}
	most := b.m.mostTokens(len(ids), o)
	q := &sequence{ctx: ctx, ids: slices.Clone(ids), o: o, wake: make(chan struct{}, 1)}
	if q.text.need = pagesOf(most); q.text.need > b.tree.pool.most {
		return nil, fault.New(fault.OutOfMemory, op, "%d tokens need %d bytes of keys and values; the batcher has %d in all",
			most, int64(q.text.need)*b.pageBytes, b.o.Bytes)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
		return nil, ErrClosed
	case len(b.waiting) >= b.o.Queue:
		return nil, ErrQueueFull
	}
	b.waiting = append(b.waiting, q)
	if !b.running {
		b.running = true
		b.idle.Add(1)
		go b.run()
	}
	return q, nil
}

// leave takes a text out: at once if it waits, else before the next step.
func (b *Batcher) leave(q *sequence) {
	b.mu.Lock()
	defer b.mu.Unlock()
	q.left = true
	if i := slices.Index(b.waiting, q); i >= 0 {
		b.waiting = slices.Delete(b.waiting, i, i+1)
	}
}

// Close ends all texts with ErrClosed, waits for the step under way and frees the memory.
func (b *Batcher) Close() {
	b.mu.Lock()
	b.closed = true
	for _, q := range slices.Concat(b.waiting, b.active) {
		q.fail(ErrClosed)
	}
	b.waiting = nil
	b.mu.Unlock()
	b.idle.Wait()
	b.tree.clear()
	if b.draft != nil {
		b.draft.close()
	}
	b.count()
}

// sequence is one text of a batcher.
type sequence struct {
	ctx  context.Context
	ids  []int // prompt
	rest []int // what is not evaluated yet
	o    Options
	text pagedText
	pick *sampler
	out  *writer // nil: it has not begun
	n    int     // tokens generated
	had  int     // tokens of the prompt that were there
	left bool

	guess guessing

	mu    sync.Mutex
	ready []Token
	err   error
	wake  chan struct{}
}

// give hands a token to the reader, who may be slow: the batcher never waits for it.
func (q *sequence) give(t Token) {
	q.mu.Lock()
	q.ready = append(q.ready, t)
	q.mu.Unlock()
	q.signal()
}

// fail ends the text with an error, unless it has one.
func (q *sequence) fail(err error) {
	q.mu.Lock()
	if q.err == nil {
		q.err = err
	}
	q.mu.Unlock()
	q.signal()
}

func (q *sequence) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// next waits for a token.
func (q *sequence) next(ctx context.Context) (Token, error) {
	for {
		q.mu.Lock()
		if len(q.ready) > 0 {
			t := q.ready[0]
			q.ready = q.ready[1:]
			q.mu.Unlock()
			return t, nil
		}
		err := q.err
		q.mu.Unlock()
		if err != nil {
			return Token{}, err
		}
		select {
		case <-q.wake:
		case <-ctx.Done():
			return Token{}, ctx.Err()
		}
	}
}
