package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/llm/model"
)

// collect reads a text with everything a caller can compare.
func collect(t testing.TB, seq func(func(Token, error) bool)) (all []string) {
	t.Helper()
	for tok, err := range seq {
		if err != nil {
			t.Error(err)
			return all
		}
		all = append(all, fmt.Sprintf("%d %q %x %v %s", tok.ID, tok.Text, tok.LogProb, tok.Top, tok.Finish))
	}
	return all
}

func newBatcher(t testing.TB, m *Model, o BatcherOptions) *Batcher {
	t.Helper()
	b, err := m.NewBatcher(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// settled waits until a text that was read to its end has left the batch, which happens after its last token, and returns the counts.
func settled(b *Batcher) BatcherStats {
	s := b.Stats()
	for end := time.Now().Add(10 * time.Second); s.Active+s.Waiting > 0 && time.Now().Before(end); s = b.Stats() {
		time.Sleep(time.Millisecond)
	}
	return s
}

// TestBatchedBits asserts that texts of unequal lengths, generated together, are those of generations alone: tokens and the bits of
// their probabilities, for every family, past the window, with prompts in parts and prefixes that are shared.
func TestBatchedBits(t *testing.T) {
	g := goldens(t)
	for _, name := range caseNames(t, "llama", "mistral", "gemma2", "gemma3", "gpt2", "mixtral", "deepseek_v3", "gpt_oss") {
		t.Run(name, func(t *testing.T) {
			m, err := Load(folder(t, g.Cases[name]))
			if err != nil {
				t.Fatal(err)
			}
			c := m.Config()
			if c.Context < 128 {
				t.Skipf("a context of %d", c.Context)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			prompts, options, want := make([][]int, 8), make([]Options, 8), make([][]string, 8)
			for i := range prompts {
				prompts[i] = slices.Clone(g.Prompt)
				for range 1 + rng.IntN(60) {
					prompts[i] = append(prompts[i], rng.IntN(256))
				}
				options[i] = Options{MaxTokens: 1 + rng.IntN(20), TopLogProbs: 3}
				if i%2 == 1 {
					options[i].Temperature, options[i].Seed, options[i].TopP = 1.2, uint64(i), 0.9
				}
				want[i] = collect(t, m.GenerateIDs(context.Background(), prompts[i], options[i]))
			}
			b := newBatcher(t, m, BatcherOptions{Sequences: 5, Chunk: 7})
			for range 2 { // the second time prefixes are there
				var wg sync.WaitGroup
				for i := range prompts {
					wg.Go(func() {
						got := collect(t, b.GenerateIDs(context.Background(), prompts[i], options[i]))
						if !slices.Equal(got, want[i]) {
							t.Errorf("text %d:\n%v\nalone:\n%v", i, got, want[i])
						}
					})
				}
				wg.Wait()
			}
			if s := settled(b); (s.Reused == 0) != c.LengthScaled() || s.Active != 0 || s.Waiting != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// TestBatchedLoad asserts that many greedy requests in random order, of clients that partly leave, have one answer each.
func TestBatchedLoad(t *testing.T) {
	m := tiny(t)
	rng := rand.New(rand.NewPCG(3, 4))
	prompts, want := make([][]int, 12), make([][]string, 12)
	for i := range prompts {
		for range 1 + rng.IntN(50) {
			prompts[i] = append(prompts[i], rng.IntN(4))
		}
		want[i] = collect(t, m.GenerateIDs(context.Background(), prompts[i], Options{MaxTokens: 10}))
	}
	// Room for few caches: texts wait for memory, and stored ones are evicted.
	b := newBatcher(t, m, BatcherOptions{Sequences: 4, Queue: 1000, Chunk: 5, PrefixTokens: 2, Bytes: 5 * m.cacheBytes(128, 0)})
	before := runtime.NumGoroutine()
	requests := 300
	if testing.Short() {
		requests = 100
	}
	var wg sync.WaitGroup
	for r := range requests {
		i, stop := rng.IntN(len(prompts)), rng.IntN(30)
		wg.Go(func() {
			var got []string
			for tok, err := range b.GenerateIDs(context.Background(), prompts[i], Options{MaxTokens: 10}) {
				if err != nil {
					t.Error(err)
					return
				}
				got = append(got, fmt.Sprintf("%d %q %x %v %s", tok.ID, tok.Text, tok.LogProb, tok.Top, tok.Finish))
				if len(got) == stop {
					break
				}
			}
			if n := len(got); !slices.Equal(got, want[i][:n]) || n != 10 && n != stop {
				t.Errorf("request %d of prompt %d: %v, want %v", r, i, got, want[i])
			}
		})
	}
	wg.Wait()
	for i := 0; runtime.NumGoroutine() > before && i < 100; i++ {
		time.Sleep(10 * time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines before, %d after: an idle batcher must have none", before, n)
	}
}

func TestBatcherRefuses(t *testing.T) {
	m := tiny(t)
	for _, o := range []BatcherOptions{{Sequences: -1}, {Sequences: 1 << 20}, {Queue: -1}, {Bytes: 10}, {Chunk: -1}, {Chunk: math.MaxInt},
		{PrefixTokens: -2}} {
		if _, err := m.NewBatcher(o); !errors.Is(err, lucid.ErrValue) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	b := newBatcher(t, m, BatcherOptions{Sequences: 1, Queue: 1})
	first := func(o Options, ids ...int) (err error) {
		for _, err = range b.GenerateIDs(context.Background(), ids, o) {
			break
		}
		return err
	}
	if err := first(Options{}); !errors.Is(err, lucid.ErrValue) {
		t.Errorf("an empty prompt: %v", err)
	}
	if err := first(Options{}, 256); !errors.Is(err, lucid.ErrIndex) {
		t.Errorf("an id outside: %v", err)
	}
	if err := first(Options{Cache: m.NewCache()}, 1); !errors.Is(err, lucid.ErrValue) {
		t.Errorf("a cache: %v", err)
	}
	if err := first(Options{MaxTokens: math.MaxInt}, 1, 2); err != nil {
		t.Errorf("no limit: %v", err)
	}
	// One text runs, one waits, the third finds the queue full.
	ctx, cancel := context.WithCancel(context.Background())
	started, done := make(chan bool), make(chan error, 2)
	for range 2 {
		go func() {
			var last error
			once := sync.OnceFunc(func() { started <- true })
			for _, err := range b.GenerateIDs(ctx, []int{1, 2, 3}, Options{}) {
				once()
				last = err
				<-ctx.Done()
			}
			done <- last
		}()
	}
	<-started
	for i := 0; b.Stats().Waiting == 0 && i < 1000; i++ {
		time.Sleep(time.Millisecond)
	}
	if err := first(Options{}, 1); b.Stats().Waiting == 1 && !errors.Is(err, ErrQueueFull) {
		t.Errorf("a full queue: %v", err)
	}
	cancel()
	go func() { <-started }()
	for range 2 {
		<-done
	}
	b.Close()
	if err := first(Options{}, 1); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// TestBatchedNoRetrace asserts that tokens and conversations after the first of their kind trace nothing.
func TestBatchedNoRetrace(t *testing.T) {
	m := tiny(t)
	traced := 0
	step := m.net.StepPaged
	m.stepPaged = lucid.Compile(func(groups []model.Paged, positions, slots, last *lucid.Tensor, pool []*lucid.Tensor) *lucid.Tensor {
		traced++
		return step(groups, positions, slots, last, pool)
	}, lucid.CompileOptions{MaxCache: maxTraces})
	for _, c := range []struct {
		guess *Speculate
		most  int
	}{{&Speculate{}, 2}, {nil, 2 + len(guessSizes)}} { // a part of 8 tokens, and one of 1; those with guesses
		b := newBatcher(t, m, BatcherOptions{Sequences: 1, PrefixTokens: -1, Speculate: c.guess})
		for i := range 6 {
			collect(t, b.GenerateIDs(context.Background(), []int{i, 2, 3, 4, 5, 6, 7, 8}, Options{MaxTokens: 60}))
		}
		if traced < 2 || traced > c.most {
			t.Errorf("traced %d times, want at most %d", traced, c.most)
		}
	}
}

// TestBatchedChunk asserts that on the CPU a step has at most 32 tokens of a prompt next to a text that is written.
func TestBatchedChunk(t *testing.T) {
	m := tiny(t)
	most := 0
	step := m.net.StepPaged
	m.stepPaged = lucid.Compile(func(groups []model.Paged, positions, slots, last *lucid.Tensor, pool []*lucid.Tensor) *lucid.Tensor {
		if len(groups) > 1 {
			most = max(most, groups[0].IDs.Size(1))
		}
		return step(groups, positions, slots, last, pool)
	}, lucid.CompileOptions{MaxCache: maxTraces})
	b := newBatcher(t, m, BatcherOptions{PrefixTokens: -1})
	m.mu.Lock() // no step until both are there
	var wg sync.WaitGroup
	for i, n := range []int{3, 90} {
		wg.Go(func() {
			collect(t, b.GenerateIDs(context.Background(), make([]int, n), Options{MaxTokens: 20, IgnoreEnd: true}))
		})
		for s := b.Stats(); s.Active+s.Waiting <= i; s = b.Stats() {
			time.Sleep(time.Millisecond)
		}
	}
	m.mu.Unlock()
	wg.Wait()
	if most != 32 {
		t.Errorf("a step has %d tokens of a prompt", most)
	}
}

// TestBatchedPlans asserts that kinds of steps share their plans, whatever numbers of texts, sizes of parts and lengths there are: a
// request that finds its beginning stored makes at most a trace, and no plan.
func TestBatchedPlans(t *testing.T) {
	m := tiny(t)
	b := newBatcher(t, m, BatcherOptions{Sequences: 6, Chunk: 16})
	text := func(n, seed int) (ids []int) {
		for i := range n {
			ids = append(ids, (i*i+seed)%250)
		}
		return ids
	}
	o := Options{MaxTokens: 6}
	collect(t, b.GenerateIDs(context.Background(), text(70, 1), o))
	settled(b)
	before := lucid.Explain(m.stepPaged)
	collect(t, b.GenerateIDs(context.Background(), append(text(64, 1), 9, 8, 7, 6, 5), o))
	settled(b)
	if x := lucid.Explain(m.stepPaged); x.Plans != before.Plans || x.Traces > before.Traces+1 {
		t.Errorf("a text whose beginning is stored made %d plans and %d traces", x.Plans-before.Plans, x.Traces-before.Traces)
	}
	for round := range 6 {
		var wg sync.WaitGroup
		for i := range round + 1 {
			wg.Go(func() { collect(t, b.GenerateIDs(context.Background(), text(20*round+3*i+2, 10*round+i), o)) })
		}
		wg.Wait()
	}
	x := lucid.Explain(m.stepPaged)
	t.Logf("%d traces, %d plans", x.Traces, x.Plans)
	if x.Plans > 10 { // one text or several, each with a prompt, several or none; and sizes at which kernels are chosen otherwise
		t.Errorf("%d traces have %d plans: %v", x.Traces, x.Plans, x.Unshared)
	}
}

// TestBatcherFair asserts that a client with many texts does not keep another waiting.
func TestBatcherFair(t *testing.T) {
	b := newBatcher(t, tiny(t), BatcherOptions{Sequences: 2})
	for i, c := range []string{"many", "many", "many", "many", "one", "two"} {
		b.waiting = append(b.waiting, &sequence{ctx: context.Background(), ids: []int{i}, o: Options{Client: c}})
	}
	b.admit()
	if len(b.active) != 2 || b.active[0].ids[0] != 0 || b.active[1].ids[0] != 4 {
		t.Errorf("active are %v and %v", b.active[0].ids, b.active[1].ids)
	}
	b.active = b.active[:1]
	b.admit()
	if len(b.waiting) != 3 || b.active[1].ids[0] != 5 {
		t.Errorf("then %v", b.active[1].ids)
	}
	b.active, b.waiting, b.running = nil, nil, false
}

// collectTokens are the tokens of a text.
func collectTokens(t testing.TB, seq func(func(Token, error) bool)) (list []Token) {
	t.Helper()
	for tok, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, tok)
	}
	return list
}
