package data

import (
	"context"
	"fmt"
	"runtime"
	"sync"
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
	moved []*lucid.Tensor // of the batch: copies on another device
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
		res := r.read(ctx, -1, r.first+i, idx)
		if !yield(res.batch, res.err) || res.err != nil {
			return
		}
	}
}

func (r reading) parallel(ctx context.Context, batches [][]int, yield func([]*lucid.Tensor, error) bool) {
	ctx, cancel := context.WithCancel(ctx)
	workers := min(r.l.o.Workers, max(len(batches), 1))
	ahead := r.l.o.Prefetch
	if ahead == 0 {
		ahead = 2
	}
	ahead *= workers
	jobs := make(chan job, ahead)
	var running sync.WaitGroup
	for w := range workers {
		running.Go(lucid.Inherit(func() { r.work(ctx, w, workers, jobs) }))
	}
	var queue []chan result // batches on their way, in order
	defer func() {
		cancel()
		close(jobs)
		if left := queue; len(left) > 0 && r.l.o.Device != (lucid.Device{}) {
			go func() {
				running.Wait()
				dropAll(left)
			}()
		}
	}()
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
		res, came := r.await(ctx, queue[0])
		if came {
			queue = queue[1:]
		}
		if !yield(res.batch, res.err) || res.err != nil {
			return
		}
	}
}

// dropAll frees batches that no reader waits for any more; workers have stopped.
func dropAll(queue []chan result) {
	for _, done := range queue {
		select {
		case res := <-done:
			res.drop()
		default:
		}
	}
}

// await waits for a batch, the context or the timeout; came says that it was the batch.
func (r reading) await(ctx context.Context, done chan result) (res result, came bool) {
	var late <-chan time.Time
	if r.l.o.Timeout > 0 {
		t := time.NewTimer(r.l.o.Timeout)
		defer t.Stop()
		late = t.C
	}
	if err := ctx.Err(); err != nil {
		return result{err: err}, false
	}
	select {
	case res := <-done:
		return res, true
	case <-ctx.Done():
		return result{err: ctx.Err()}, false
	case <-late:
		return result{err: fmt.Errorf("lucid: loader: no batch came within %v: %w", r.l.o.Timeout, context.DeadlineExceeded)}, false
	}
}

func (r reading) work(ctx context.Context, worker, workers int, jobs <-chan job) {
	ctx = context.WithValue(ctx, workerKey{}, WorkerInfo{worker, workers, r.seed})
	failed := r.start(worker)
	for j := range jobs {
		if ctx.Err() != nil {
			return
		}
		if failed != nil {
			j.done <- result{err: &WorkerError{worker, j.batch, -1, failed}}
			continue
		}
		j.done <- r.read(ctx, worker, j.batch, j.indices)
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
		var pcs [64]uintptr
		return e.Recorded(pcs[:runtime.Callers(2, pcs[:])])
	}
	stack := make([]byte, 4096)
	return fmt.Errorf("panic: %v\n%s", p, stack[:runtime.Stack(stack, false)])
}

// read makes one batch, computes it and brings it to its device. A panic of the dataset is an error of the loader.
func (r reading) read(ctx context.Context, worker, batch int, indices []int) (res result) {
	at := -1
	defer func() {
		if p := recover(); p != nil {
			res = result{err: panicked(p)}
		}
		if res.err != nil && ctx.Err() == nil {
			res = result{err: &WorkerError{worker, batch, at, res.err}}
		} else if res.err != nil {
			res = result{err: ctx.Err()}
		}
	}()
	var out []*lucid.Tensor
	var err error
	r.l.o.onHost(func() { out, err = r.gather(ctx, batch, indices, &at) })
	if err != nil {
		return result{err: err}
	}
	return r.l.o.move(ctx, out)
}

// gather reads the examples of a batch and puts them together; at is the one that is being read, -1 if none is.
func (r reading) gather(ctx context.Context, batch int, indices []int, at *int) (out []*lucid.Tensor, err error) {
	if b, inside, ok := whole(r.l.d, indices); ok && r.l.o.Collate == nil {
		return b.GetBatch(inside)
	}
	examples := make([][]*lucid.Tensor, len(indices))
	for k, i := range indices {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		*at = i
		// The position in the epoch counts too: an example that comes twice has other random numbers the second time.
		position := uint64(batch)<<32 | uint64(k)
		c := context.WithValue(ctx, seedKey{}, exampleSeed{r.seed, uint64(i) + 1 + position*0x9e3779b97f4a7c15})
		if examples[k], err = get(c, r.l.d, i); err != nil {
			return nil, err
		}
	}
	*at = -1
	if collate := r.l.o.Collate; collate != nil {
		return collate(examples)
	}
	return Collate(examples)
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

// Collate makes a batch by stacking each tensor of the examples; it is the default of LoaderOptions.Collate.
func Collate(examples [][]*lucid.Tensor) ([]*lucid.Tensor, error) {
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
