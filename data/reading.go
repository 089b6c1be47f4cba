package data

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/lucid-go/lucid"
)

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
			// The place in the epoch counts too: an example that comes twice has other random numbers the second time.
			place := uint64(batch)<<32 | uint64(k)
			c := context.WithValue(ctx, seedKey{}, exampleSeed{r.seed, uint64(i) + 1 + place*0x9e3779b97f4a7c15})
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
