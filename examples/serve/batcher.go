package main

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/lucid-go/lucid"
)

var (
	errBusy   = errors.New("too many requests are waiting")
	errClosed = errors.New("the server is going down")
)

// question is one row of numbers of a client that waits for the answer.
type question struct {
	ctx    context.Context
	row    []float32
	answer chan<- answer // with room for one, so that a client that left does not hold up the others
}

type answer struct {
	scores []float32
	err    error
}

// batcher puts questions that come at about the same time to the model together: a batch of 32 takes little longer than one.
type batcher struct {
	model    func(x *lucid.Tensor) *lucid.Tensor // (B, F) to (B, classes)
	features int
	most     int           // questions in a batch
	wait     time.Duration // that the first of a batch waits for others

	queue chan question // bounded: what does not fit is refused at once, not later
	stop  chan struct{}
	done  chan struct{}

	questions, batches atomic.Int64
}

func newBatcher(model func(x *lucid.Tensor) *lucid.Tensor, features, most, queue int, wait time.Duration) *batcher {
	b := &batcher{model: model, features: features, most: most, wait: wait,
		queue: make(chan question, queue), stop: make(chan struct{}), done: make(chan struct{})}
	go b.loop()
	return b
}

// ask returns the scores for a row. It returns early when the context is done, when the queue is full, or after close.
func (b *batcher) ask(ctx context.Context, row []float32) ([]float32, error) {
	reply := make(chan answer, 1)
	select {
	case <-b.stop:
		return nil, errClosed
	default:
	}
	select {
	case b.queue <- question{ctx, row, reply}:
	default:
		return nil, errBusy
	}
	select {
	case a := <-reply:
		return a.scores, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-b.done:
		select {
		case a := <-reply: // both were ready
			return a.scores, a.err
		default:
			return nil, errClosed
		}
	}
}

// close answers what is waiting and ends the loop. It is called once, after the last ask has been made or refused.
func (b *batcher) close() {
	close(b.stop)
	<-b.done
}

func (b *batcher) loop() {
	defer close(b.done)
	for {
		select {
		case q := <-b.queue:
			b.run(b.collect(q))
		case <-b.stop:
			for {
				select {
				case q := <-b.queue:
					b.run(b.collect(q))
				default:
					return
				}
			}
		}
	}
}

// collect waits a moment for more questions.
func (b *batcher) collect(first question) []question {
	batch := []question{first}
	late := time.NewTimer(b.wait)
	defer late.Stop()
	for len(batch) < b.most {
		select {
		case q := <-b.queue:
			batch = append(batch, q)
		case <-late.C:
			return batch
		case <-b.stop: // take what is there, wait for nothing
			select {
			case q := <-b.queue:
				batch = append(batch, q)
			default:
				return batch
			}
		}
	}
	return batch
}

// run computes a batch. Rows are filled up to a power of two, so that few sizes are compiled.
func (b *batcher) run(batch []question) {
	asked := batch[:0]
	for _, q := range batch {
		if q.ctx.Err() == nil { // who has left needs no answer
			asked = append(asked, q)
		}
	}
	if len(asked) == 0 {
		return
	}
	size := 1
	for size < len(asked) {
		size *= 2
	}
	rows := make([]float32, size*b.features)
	for i, q := range asked {
		copy(rows[i*b.features:], q.row)
	}
	var scores []float32
	err := lucid.Try(func() {
		lucid.NoGrad(func() { scores = lucid.ToSlice[float32](b.model(lucid.New(rows, size, b.features))) })
	})
	b.questions.Add(int64(len(asked)))
	b.batches.Add(1)
	for i, q := range asked {
		a := answer{err: err}
		if err == nil {
			n := len(scores) / size
			a.scores = scores[i*n : (i+1)*n : (i+1)*n]
		}
		q.answer <- a
	}
}
