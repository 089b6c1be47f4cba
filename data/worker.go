package data

import (
	"context"
	"fmt"
	"math/rand/v2"
)

// WorkerError is an error of the dataset, with the example it came from.
type WorkerError struct {
	Worker int // -1: the loop's own goroutine
	Batch  int // number of the batch, from 0
	Index  int // index of the example, -1 if it is not about one
	Err    error
}

// Error says where it came from.
func (e *WorkerError) Error() string {
	at := ""
	if e.Index >= 0 {
		at = fmt.Sprintf(" example %d,", e.Index)
	}
	if e.Worker < 0 {
		return fmt.Sprintf("lucid: loader: batch %d,%s: %v", e.Batch, at, e.Err)
	}
	return fmt.Sprintf("lucid: loader: batch %d,%s worker %d: %v", e.Batch, at, e.Worker, e.Err)
}

// Unwrap returns the dataset's error.
func (e *WorkerError) Unwrap() error { return e.Err }

// WorkerInfo is which of a loader's workers reads an example.
type WorkerInfo struct {
	ID      int    // from 0
	Workers int    // how many there are
	Seed    uint64 // of the epoch; the same in all of them
}

type workerKey struct{}

// GetWorkerInfo returns the worker that reads an example, of the context that the dataset is given; ok is false outside of workers. With a
// dataset that is a stream, each worker can take its own part by it.
func GetWorkerInfo(ctx context.Context) (w WorkerInfo, ok bool) {
	w, ok = ctx.Value(workerKey{}).(WorkerInfo)
	return w, ok
}

type seedKey struct{}

// exampleSeed is what Rand derives numbers from.
type exampleSeed struct{ a, b uint64 }

// WorkerRand returns the source of random numbers of the example that is being read: the same for the same seed, epoch, index and
// position in the epoch, whichever worker reads it. Two calls for one example return the same source, from its start. Outside of
// a loader it is seeded at random.
func WorkerRand(ctx context.Context) *rand.Rand {
	if s, ok := ctx.Value(seedKey{}).(exampleSeed); ok {
		return rand.New(rand.NewPCG(s.a, s.b))
	}
	return rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
}
