package data_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/data"
)

// TestLoaderPosition stops an epoch in its middle, saves where it was, and goes on with another loader.
func TestLoaderPosition(t *testing.T) {
	d := data.Func{N: 40, F: func(ctx context.Context, i int) ([]*lucid.Tensor, error) {
		return []*lucid.Tensor{lucid.New([]float64{data.WorkerRand(ctx).Float64(), float64(i)}, 2)}, nil
	}}
	for _, c := range []struct {
		seed       *uint64
		workers    int
		stop, last int
	}{{new(uint64(3)), 0, 4, 10}, {nil, 3, 4, 10}, {nil, 0, 10, 10}, {new(uint64(3)), 2, 1, 10}} {
		options := data.LoaderOptions{BatchSize: 4, Shuffle: true, Workers: c.workers, Seed: c.seed}
		lucid.Seed(11)
		l := data.NewLoader(d, options)
		var want string
		var saved *lucid.StateDict
		var random *lucid.Tensor
		for epoch := range 3 {
			n := 0
			for b, err := range l.All(context.Background()) {
				if err != nil {
					t.Fatal(err)
				}
				if saved != nil {
					want += fmt.Sprint(lucid.ToSlice[float64](b[0]))
				}
				if n++; epoch == 1 && n == c.stop {
					saved, random = l.StateDict(), lucid.GetRNGState()
				}
			}
			if n != c.last {
				t.Fatalf("%d batches", n)
			}
		}
		path := t.TempDir() + "/position.lucid"
		if err := lucid.Save(path, saved); err != nil {
			t.Fatal(err)
		}
		back, err := lucid.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		lucid.Seed(99)
		other := data.NewLoader(d, options)
		if err := other.LoadStateDict(back); err != nil {
			t.Fatal(err)
		}
		lucid.SetRNGState(random)
		got := ""
		for range 2 {
			for b, err := range other.All(context.Background()) {
				if err != nil {
					t.Fatal(err)
				}
				got += fmt.Sprint(lucid.ToSlice[float64](b[0]))
			}
		}
		if got != want {
			t.Errorf("%+v: went on with\n%s\nwant\n%s", c, got, want)
		}
	}
	l := data.NewLoader(d, data.LoaderOptions{BatchSize: 40})
	l.Seek(0, 5)
	for _, err := range l.All(context.Background()) {
		if !errors.Is(err, lucid.ErrValue) {
			t.Errorf("a position past the end: %v", err)
		}
	}
	if err := l.LoadStateDict(lucid.NewStateDict()); !errors.Is(err, lucid.ErrFormat) {
		t.Errorf("a state without a position: %v", err)
	}
}
