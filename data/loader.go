package data

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/lucid-go/lucid"
)

// LoaderOptions say how a Loader works; the zero value is PyTorch's default.
type LoaderOptions struct {
	BatchSize int  // 0 means 1
	Shuffle   bool // read in a new random order each time
	DropLast  bool // leave out a last batch that is not full

	Sampler      Sampler      // the order, instead of Shuffle
	BatchSampler BatchSampler // the batches, instead of all above

	Workers  int // goroutines that read; 0 reads while the loop waits
	Prefetch int // batches each worker reads ahead; 0 means 2

	// Collate makes a batch of examples; nil stacks each tensor.
	Collate func(examples [][]*lucid.Tensor) ([]*lucid.Tensor, error)
	// WorkerInit runs first in every worker.
	WorkerInit func(worker int) error
	// Timeout bounds the wait for a batch; 0 waits.
	Timeout time.Duration
	// Seed fixes the orders; nil draws one each epoch from the default generator, which lucid.Seed seeds.
	Seed *uint64
}

// Loader makes batches of a dataset.
type Loader struct {
	d       Dataset
	o       LoaderOptions
	batches BatchSampler
	at      position
}

// NewLoader returns a loader for a dataset.
func NewLoader(d Dataset, opts ...LoaderOptions) *Loader {
	var o LoaderOptions
	if len(opts) > 1 {
		refuse(lucid.ErrValue, "loader", "got %d option structs; want at most one", len(opts))
	}
	if len(opts) == 1 {
		o = opts[0]
	}
	if o.BatchSize < 0 || o.Workers < 0 || o.Prefetch < 0 || o.Timeout < 0 {
		refuse(lucid.ErrValue, "loader", "batch size %d, workers %d, prefetch %d, timeout %v; none may be negative", o.BatchSize, o.Workers, o.Prefetch, o.Timeout)
	}
	if o.Shuffle && (o.Sampler != nil || o.BatchSampler != nil) || o.BatchSampler != nil && (o.Sampler != nil || o.BatchSize > 0 || o.DropLast) {
		refuse(lucid.ErrValue, "loader", "Sampler excludes Shuffle, and BatchSampler excludes Sampler, Shuffle, BatchSize and DropLast")
	}
	l := &Loader{d: d, o: o, batches: o.BatchSampler}
	if l.batches == nil {
		s := o.Sampler
		switch {
		case s != nil:
		case o.Shuffle:
			s = RandomSampler{N: d.Len()}
		default:
			s = SequentialSampler{d.Len()}
		}
		l.batches = Batched{s, max(o.BatchSize, 1), o.DropLast}
	}
	return l
}

// Len returns the number of batches of an epoch.
func (l *Loader) Len() int { return l.batches.Len() }

// job is one batch to read.
type job struct {
	batch   int
	indices []int
	done    chan result
}

type result struct {
	batch []*lucid.Tensor
	err   error
}

// reading is one pass over the dataset.
type reading struct {
	l     *Loader
	seed  uint64
	first int // number of its first batch in the epoch
}

// All iterates over the batches of an epoch: of a new one, or after LoadStateDict over what was left of one. An error
// ends it: of the dataset as *WorkerError, or of the context. If the loop ends early or the context is done, workers stop
// after the example they are reading.
func (l *Loader) All(ctx context.Context) iter.Seq2[[]*lucid.Tensor, error] {
	return func(yield func([]*lucid.Tensor, error) bool) {
		seed, epoch, skip := l.at.begin(l.o.Seed)
		r := reading{l: l, seed: seed, first: skip}
		var batches [][]int
		err := lucid.Try(func() {
			l.tellEpoch(epoch)
			batches = l.batches.Batches(rand.New(rand.NewPCG(seed, 0)))
			if skip > len(batches) {
				refuse(lucid.ErrValue, "loader", "the position is after batch %d of an epoch that has %d; the data or the batch size has changed", skip, len(batches))
			}
		})
		if err != nil {
			yield(nil, err)
			return
		}
		give := func(b []*lucid.Tensor, err error) bool {
			if err == nil {
				l.at.advance() // before the loop sees it: a state saved in the loop stands after this batch
			}
			return yield(b, err)
		}
		if l.o.Workers == 0 {
			r.alone(ctx, batches[skip:], give)
			return
		}
		r.parallel(ctx, batches[skip:], give)
	}
}

// tellEpoch raises the epoch of a sampler that counts them itself.
func (l *Loader) tellEpoch(epoch int) {
	for _, s := range []any{l.o.Sampler, l.o.BatchSampler} {
		if e, ok := s.(interface{ SetEpoch(int) }); ok {
			e.SetEpoch(epoch)
		}
	}
}

func (r reading) alone(ctx context.Context, batches [][]int, yield func([]*lucid.Tensor, error) bool) {
	if err := r.start(0); err != nil {
		yield(nil, &WorkerError{-1, r.first, -1, err})
		return
	}
	for i, idx := range batches {
		if err := ctx.Err(); err != nil {
			yield(nil, err)
			return
		}
		b, err := r.read(ctx, -1, r.first+i, idx)
		if !yield(b, err) || err != nil {
			return
		}
	}
}

func (r reading) parallel(ctx context.Context, batches [][]int, yield func([]*lucid.Tensor, error) bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	workers := min(r.l.o.Workers, max(len(batches), 1))
	ahead := r.l.o.Prefetch
	if ahead == 0 {
		ahead = 2
	}
	ahead *= workers
	jobs := make(chan job, ahead)
	defer close(jobs)
	for w := range workers {
		go lucid.Inherit(func() { r.work(ctx, w, jobs) })()
	}
	var queue []chan result // batches on their way, in order
	next := 0
	for {
		for next < len(batches) && len(queue) < ahead {
			j := job{r.first + next, batches[next], make(chan result, 1)}
			jobs <- j // never blocks: it holds all that are on their way
			queue = append(queue, j.done)
			next++
		}
		if len(queue) == 0 {
			return
		}
		res := r.await(ctx, queue[0])
		queue = queue[1:]
		if !yield(res.batch, res.err) || res.err != nil {
			return
		}
	}
}

// await waits for a batch, the context or the timeout.
func (r reading) await(ctx context.Context, done chan result) result {
	var late <-chan time.Time
	if r.l.o.Timeout > 0 {
		t := time.NewTimer(r.l.o.Timeout)
		defer t.Stop()
		late = t.C
	}
	if err := ctx.Err(); err != nil {
		return result{nil, err}
	}
	select {
	case res := <-done:
		return res
	case <-ctx.Done():
		return result{nil, ctx.Err()}
	case <-late:
		return result{nil, fmt.Errorf("lucid: loader: no batch came within %v: %w", r.l.o.Timeout, context.DeadlineExceeded)}
	}
}

func (r reading) work(ctx context.Context, worker int, jobs <-chan job) {
	failed := r.start(worker)
	for j := range jobs {
		if ctx.Err() != nil {
			return
		}
		if failed != nil {
			j.done <- result{nil, &WorkerError{worker, j.batch, -1, failed}}
			continue
		}
		b, err := r.read(ctx, worker, j.batch, j.indices)
		j.done <- result{b, err}
	}
}

// start runs WorkerInit; a panic in it is an error.
func (r reading) start(worker int) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(p)
		}
	}()
	if f := r.l.o.WorkerInit; f != nil {
		err = f(worker)
	}
	return err
}

// panicked is what a panic is as an error.
func panicked(p any) error {
	if e, ok := p.(*lucid.Error); ok {
		return e
	}
	stack := make([]byte, 4096)
	return fmt.Errorf("panic: %v\n%s", p, stack[:runtime.Stack(stack, false)])
}

// read makes one batch and computes it. A panic of the dataset is an error of the loader.
func (r reading) read(ctx context.Context, worker, batch int, indices []int) (out []*lucid.Tensor, err error) {
	at := -1
	defer func() {
		if p := recover(); p != nil {
			err = panicked(p)
		}
		if err != nil && ctx.Err() == nil {
			out, err = nil, &WorkerError{worker, batch, at, err}
		} else if err != nil {
			out, err = nil, ctx.Err()
		}
	}()
	if b, inside, ok := whole(r.l.d, indices); ok && r.l.o.Collate == nil {
		out, err = b.GetBatch(inside)
	} else {
		examples := make([][]*lucid.Tensor, len(indices))
		for k, i := range indices {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			at = i
			c := context.WithValue(ctx, seedKey{}, exampleSeed{r.seed, uint64(i) + 1})
			if examples[k], err = get(c, r.l.d, i); err != nil {
				return nil, err
			}
		}
		at = -1
		collate := r.l.o.Collate
		if collate == nil {
			collate = Stack
		}
		out, err = collate(examples)
	}
	if err != nil {
		return nil, err
	}
	return out, lucid.EvalContext(ctx, out...)
}

// whole finds the dataset under subsets that can give a batch at once, and the indices there.
func whole(d Dataset, indices []int) (b BatchDataset, inside []int, ok bool) {
	for {
		s, sub := d.(*Subset)
		if !sub {
			b, ok = d.(BatchDataset)
			return b, indices, ok
		}
		inside = make([]int, len(indices))
		for k, i := range indices {
			if i < 0 || i >= len(s.Indices) {
				return nil, nil, false // the slow way says which it is
			}
			inside[k] = s.Indices[i]
		}
		d, indices = s.Dataset, inside
	}
}

// Stack makes a batch by stacking each tensor of the examples; it is the default of LoaderOptions.Collate.
func Stack(examples [][]*lucid.Tensor) ([]*lucid.Tensor, error) {
	if len(examples) == 0 {
		return nil, nil
	}
	out := make([]*lucid.Tensor, len(examples[0]))
	for k := range out {
		column := make([]*lucid.Tensor, len(examples))
		for i, e := range examples {
			if len(e) != len(out) {
				return nil, lucid.Errorf(lucid.ErrShapeMismatch, "stack", "an example has %d tensors, the first %d", len(e), len(out))
			}
			column[i] = e[k]
		}
		if err := lucid.Try(func() { out[k] = lucid.Stack(column, 0) }); err != nil {
			return nil, err
		}
	}
	return out, nil
}
