package data

import (
	"context"
	"iter"
	"math/rand/v2"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
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

	// Device is where batches go. Examples are then read and put together in host memory, and the worker that reads ahead moves each
	// batch, so that its copy overlaps the step before; up to Workers·Prefetch batches are on the device ahead of the loop. With no
	// Workers the loop's own goroutine moves them. The zero value leaves batches where they are made.
	Device lucid.Device

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
	o := door.Option("loader", opts)
	if o.BatchSize < 0 || o.Workers < 0 || o.Prefetch < 0 || o.Timeout < 0 {
		refuse(lucid.ErrValue, "loader", "batch size %d, workers %d, prefetch %d, timeout %v; none may be negative", o.BatchSize,
			o.Workers, o.Prefetch, o.Timeout)
	}
	if o.Shuffle && (o.Sampler != nil || o.BatchSampler != nil) || o.BatchSampler != nil &&
		(o.Sampler != nil || o.BatchSize > 0 || o.DropLast) {
		refuse(lucid.ErrValue, "loader", "Sampler excludes Shuffle, and BatchSampler excludes Sampler, Shuffle, BatchSize and DropLast")
	}
	o.openDevice()
	if s, ok := o.Sampler.(DistributedSampler); ok {
		o.Sampler = &s // its epoch will be set
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
				refuse(lucid.ErrValue, "loader",
					"the position is after batch %d of an epoch that has %d; the data or the batch size has changed", skip, len(batches))
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

// epochs is what has another order each epoch, by its number.
type epochs interface{ SetEpoch(epoch int) }

// tellEpoch raises the epoch of a sampler that counts them itself.
func (l *Loader) tellEpoch(epoch int) {
	if e, ok := l.batches.(epochs); ok {
		e.SetEpoch(epoch)
	}
}
