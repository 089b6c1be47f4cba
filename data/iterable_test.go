package data_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/data"
)

// count is a dataset of numbers; at bad it fails, or panics if that is asked for.
type count struct {
	n, bad int
	panics bool
	ended  *bool
}

func (c count) All(ctx context.Context) iter.Seq2[[]*lucid.Tensor, error] {
	return func(yield func([]*lucid.Tensor, error) bool) {
		if c.ended != nil {
			defer func() { *c.ended = true }()
		}
		for i := range c.n {
			if i == c.bad && c.bad > 0 {
				if c.panics {
					panic(errBad)
				}
				yield(nil, errBad)
				return
			}
			if !yield([]*lucid.Tensor{lucid.Scalar(float64(i))}, nil) {
				return
			}
		}
	}
}

func TestIterableLoader(t *testing.T) {
	for _, workers := range []int{0, 1} {
		read := func(s data.IterableDataset, o data.LoaderOptions) (out string, last error) {
			o.Workers = workers
			for b, err := range data.NewIterableLoader(s, o).All(context.Background()) {
				if err != nil {
					return out, err
				}
				out += fmt.Sprint(lucid.ToSlice[int](b[0]))
			}
			return out, nil
		}
		if got, err := read(data.ChainDataset{count{n: 3}, count{n: 2}},
			data.LoaderOptions{BatchSize: 2}); got != "[0 1][2 0][1]" || err != nil {
			t.Errorf("%d workers: %s, %v", workers, got, err)
		}
		if got, _ := read(count{n: 5}, data.LoaderOptions{BatchSize: 2, DropLast: true}); got != "[0 1][2 3]" {
			t.Errorf("%d workers: %s", workers, got)
		}
		got, err := read(count{n: 9, bad: 5}, data.LoaderOptions{BatchSize: 2})
		var e *data.WorkerError
		if got != "[0 1][2 3]" || !errors.Is(err, errBad) || !errors.As(err, &e) || e.Index != 5 {
			t.Errorf("%d workers: %s, %v", workers, got, err)
		}
		if _, err := read(count{n: 9, bad: 5, panics: true}, data.LoaderOptions{BatchSize: 2}); err == nil {
			t.Errorf("%d workers: a panic was lost", workers)
		}
	}
	ended := false
	for range data.NewIterableLoader(count{n: 100, ended: &ended}).All(context.Background()) {
		break
	}
	if !ended {
		t.Error("the dataset was not told to stop")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, err := range data.NewIterableLoader(count{n: 100}, data.LoaderOptions{Workers: 1}).All(ctx) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	}
}

// TestIterableLoaderStops leaves a loop and cancels one: the goroutine that reads ahead goes.
func TestIterableLoaderStops(t *testing.T) {
	before := runtime.NumGoroutine()
	l := data.NewIterableLoader(count{n: 1 << 30}, data.LoaderOptions{Workers: 1, Prefetch: 3})
	for _, err := range l.All(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	var last error
	for _, err := range l.All(ctx) {
		if last = err; err != nil {
			break
		}
		if n++; n == 2 {
			cancel()
		}
	}
	cancel()
	if !errors.Is(last, context.Canceled) {
		t.Errorf("after cancelling: %v", last)
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines are left of %d", runtime.NumGoroutine(), before)
}
