package data

import (
	"context"
	"iter"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// IterableLoader makes batches of an iterable dataset.
type IterableLoader struct {
	s IterableDataset
	o LoaderOptions
}

// NewIterableLoader returns a loader for an iterable dataset. Of the options BatchSize, DropLast, Collate, Workers, Prefetch
// and Device count; with any Workers one goroutine reads ahead, since such a dataset is read in its own order.
func NewIterableLoader(s IterableDataset, opts ...LoaderOptions) *IterableLoader {
	o := door.Option("iterable_loader", opts)
	if o.Shuffle || o.Sampler != nil || o.BatchSampler != nil || o.Timeout != 0 || o.WorkerInit != nil || o.Seed != nil {
		refuse(lucid.ErrValue, "iterable_loader",
			"an iterable dataset has its own order; Shuffle, samplers, Seed, Timeout and WorkerInit are for datasets with an index")
	}
	if o.BatchSize < 0 || o.Workers < 0 || o.Prefetch < 0 {
		refuse(lucid.ErrValue, "iterable_loader", "batch size %d, workers %d, prefetch %d; none may be negative",
			o.BatchSize, o.Workers, o.Prefetch)
	}
	o.openDevice()
	o.BatchSize = max(o.BatchSize, 1)
	if o.Collate == nil {
		o.Collate = Collate
	}
	return &IterableLoader{s, o}
}

// All iterates over the batches. An error ends it; the dataset is told to stop when the loop ends early.
func (l *IterableLoader) All(ctx context.Context) iter.Seq2[[]*lucid.Tensor, error] {
	if l.o.Workers == 0 {
		return func(yield func([]*lucid.Tensor, error) bool) {
			l.batches(ctx, func(r result) bool { return yield(r.batch, r.err) })
		}
	}
	return func(yield func([]*lucid.Tensor, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		ahead := max(l.o.Prefetch, 1)
		if l.o.Prefetch == 0 {
			ahead = 2
		}
		ready := make(chan result, ahead)
		defer func() {
			cancel()
			go func() { // batches on their way have no reader left
				for r := range ready {
					r.drop()
				}
			}()
		}()
		go lucid.Inherit(func() {
			defer close(ready)
			l.o.onHost(func() { l.batches(ctx, func(r result) bool { return send(ctx, ready, r) }) })
		})()
		for {
			select {
			case r, more := <-ready:
				if !more {
					if err := ctx.Err(); err != nil {
						yield(nil, err)
					}
					return
				}
				if !yield(r.batch, r.err) || r.err != nil {
					return
				}
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			}
		}
	}
}

// send gives a batch to the loop, if that has not ended.
func send(ctx context.Context, ready chan<- result, r result) bool {
	select {
	case ready <- r:
		return true
	case <-ctx.Done():
		r.drop()
		return false
	}
}

// batches reads the dataset in the goroutine that calls it.
func (l *IterableLoader) batches(ctx context.Context, yield func(result) bool) {
	var examples [][]*lucid.Tensor
	number, at := 0, 0
	give := func() bool {
		r := l.collate(ctx, examples)
		if r.err != nil {
			r.err = &WorkerError{-1, number, -1, r.err}
		}
		number++
		examples = examples[:0]
		return yield(r) && r.err == nil
	}
	for x, err := range l.examples(ctx) {
		if err == nil {
			err = ctx.Err()
		} else if ctx.Err() == nil {
			err = &WorkerError{-1, number, at, err}
		}
		if err != nil {
			yield(result{err: err})
			return
		}
		at++
		if examples = append(examples, x); len(examples) == l.o.BatchSize && !give() {
			return
		}
	}
	if len(examples) > 0 && !l.o.DropLast {
		give()
	}
}

// examples reads the dataset; a panic in it is an error.
func (l *IterableLoader) examples(ctx context.Context) iter.Seq2[[]*lucid.Tensor, error] {
	return func(yield func([]*lucid.Tensor, error) bool) {
		inside := false // the loop's own panics go on
		defer func() {
			if inside {
				return
			}
			if p := recover(); p != nil {
				yield(nil, panicked(p))
			}
		}()
		for x, err := range l.s.All(ctx) {
			inside = true
			more := yield(x, err)
			inside = false
			if !more {
				return
			}
		}
	}
}

func (l *IterableLoader) collate(ctx context.Context, examples [][]*lucid.Tensor) (r result) {
	failed := lucid.Try(func() {
		var b []*lucid.Tensor
		var err error
		l.o.onHost(func() { b, err = l.o.Collate(examples) })
		if r.err = err; err == nil {
			r = l.o.move(ctx, b)
		}
	})
	if failed != nil {
		return result{err: failed}
	}
	return r
}
