package data_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/data"
)

func numbers(n int) *data.TensorDataset {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(i)
	}
	x := lucid.New(v, n)
	return data.NewTensorDataset(x, x.Mul(2).To(lucid.Int64))
}

func collect(t *testing.T, l *data.Loader) (all [][]float64) {
	t.Helper()
	for b, err := range l.All(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		x := lucid.ToSlice[float64](b[0])
		for i, y := range lucid.ToSlice[float64](b[1]) {
			if y != 2*x[i] {
				t.Errorf("%v goes with %v", x[i], y)
			}
		}
		all = append(all, x)
	}
	return all
}

func TestLoaderOrderDoesNotDependOnWorkers(t *testing.T) {
	var want string
	for _, w := range []int{0, 1, 2, 7} {
		l := data.NewLoader(numbers(103), data.LoaderOptions{BatchSize: 8, Shuffle: true, Workers: w, Seed: new(uint64(5))})
		first, second := collect(t, l), collect(t, l)
		if got := fmt.Sprint(first, second); want == "" {
			want = got
		} else if got != want {
			t.Errorf("%d workers read in another order", w)
		}
		if fmt.Sprint(first) == fmt.Sprint(second) {
			t.Error("two epochs have the same order")
		}
		var flat []float64
		for _, b := range first {
			flat = append(flat, b...)
		}
		slices.Sort(flat)
		if len(first) != 13 || l.Len() != 13 || len(flat) != 103 || flat[102] != 102 || len(first[12]) != 7 {
			t.Errorf("%d batches of %d examples", len(first), len(flat))
		}
		l.SetEpoch(0)
		if fmt.Sprint(collect(t, l)) != fmt.Sprint(first) {
			t.Error("SetEpoch does not bring an epoch back")
		}
	}
}

func TestLoaderSeedsFromTheDefaultGenerator(t *testing.T) {
	l := data.NewLoader(numbers(20), data.LoaderOptions{BatchSize: 4, Shuffle: true, DropLast: true})
	lucid.Seed(3)
	a, b := collect(t, l), collect(t, l)
	lucid.Seed(3)
	if c := collect(t, l); fmt.Sprint(a) != fmt.Sprint(c) || fmt.Sprint(a) == fmt.Sprint(b) {
		t.Error("orders do not follow lucid.Seed")
	}
}

// TestWorkerInfo asks that a dataset learns which worker reads, and that there is none without workers.
func TestWorkerInfo(t *testing.T) {
	for _, workers := range []int{0, 3} {
		d := data.Func{N: 30, F: func(ctx context.Context, i int) ([]*lucid.Tensor, error) {
			w, ok := data.GetWorkerInfo(ctx)
			if ok != (workers > 0) || ok && (w.Workers != 3 || w.ID < 0 || w.ID > 2) {
				return nil, fmt.Errorf("worker %+v, %v", w, ok)
			}
			return []*lucid.Tensor{lucid.Scalar(float64(w.ID))}, nil
		}}
		for _, err := range data.NewLoader(d, data.LoaderOptions{BatchSize: 2, Workers: workers}).All(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// random examples are the same for any reader.
func TestExampleRandomness(t *testing.T) {
	d := data.Func{N: 40, F: func(ctx context.Context, i int) ([]*lucid.Tensor, error) {
		return []*lucid.Tensor{lucid.New([]float64{data.WorkerRand(ctx).Float64(), float64(i)}, 2)}, nil
	}}
	read := func(workers int) (s string) {
		for b, err := range data.NewLoader(d, data.LoaderOptions{BatchSize: 3, Workers: workers,
			Seed: new(uint64(1))}).All(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			s += fmt.Sprint(lucid.ToSlice[float64](b[0]))
		}
		return s
	}
	if read(0) != read(4) {
		t.Error("random numbers depend on the workers")
	}
	seen := map[float64]bool{}
	again := data.LoaderOptions{BatchSize: 4, Sampler: data.RandomSampler{N: 1, NumSamples: 12}, Seed: new(uint64(1))}
	for b, err := range data.NewLoader(data.NewSubset(d, []int{7}), again).All(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range lucid.ToSlice[float64](b[0].At(lucid.Colon, 0)) {
			seen[v] = true
		}
	}
	if len(seen) != 12 {
		t.Errorf("an example read 12 times had %d random numbers", len(seen))
	}
}

var errBad = errors.New("bad example")

func TestLoaderErrors(t *testing.T) {
	for _, workers := range []int{0, 3} {
		for name, f := range map[string]func(i int) ([]*lucid.Tensor, error){
			"error": func(i int) ([]*lucid.Tensor, error) {
				if i == 17 {
					return nil, errBad
				}
				return []*lucid.Tensor{lucid.Zeros(1)}, nil
			},
			"panic": func(i int) ([]*lucid.Tensor, error) {
				if i == 17 {
					panic(errBad)
				}
				return []*lucid.Tensor{lucid.Zeros(1)}, nil
			},
			"shape": func(i int) ([]*lucid.Tensor, error) {
				if i == 17 {
					return []*lucid.Tensor{lucid.Zeros(2).Add(lucid.Zeros(3))}, nil
				}
				return []*lucid.Tensor{lucid.Zeros(1)}, nil
			},
		} {
			d := data.Func{N: 50, F: func(_ context.Context, i int) ([]*lucid.Tensor, error) { return f(i) }}
			batches := 0
			var last error
			for _, err := range data.NewLoader(d, data.LoaderOptions{BatchSize: 5, Workers: workers}).All(context.Background()) {
				if last = err; err == nil {
					batches++
				}
			}
			var e *data.WorkerError
			if !errors.As(last, &e) || e.Index != 17 || e.Batch != 3 || batches != 3 {
				t.Errorf("%s, %d workers: %d batches, then %v", name, workers, batches, last)
			}
			if name == "error" && !errors.Is(last, errBad) {
				t.Errorf("the dataset's error is lost: %v", last)
			}
			var at *lucid.Error
			if name == "shape" && (!errors.As(last, &at) || !strings.Contains(at.At, "data_test.go:")) {
				t.Errorf("%d workers: the error does not say where: %+v", workers, at)
			}
		}
	}
}

func TestLoaderStops(t *testing.T) {
	before := runtime.NumGoroutine()
	var reads atomic.Int64
	d := data.Func{N: 1000, F: func(ctx context.Context, i int) ([]*lucid.Tensor, error) {
		reads.Add(1)
		return []*lucid.Tensor{lucid.Zeros(1)}, nil
	}}
	l := data.NewLoader(d, data.LoaderOptions{BatchSize: 1, Workers: 4})
	n := 0
	for _, err := range l.All(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 3 {
			break
		}
	}
	if r := reads.Load(); r > 30 {
		t.Errorf("%d examples were read for 3 batches", r)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var last error
	n = 0
	for _, err := range l.All(ctx) {
		last = err
		if n++; n == 2 {
			cancel()
		}
	}
	cancel()
	if !errors.Is(last, context.Canceled) || n != 3 {
		t.Errorf("after cancelling: %v, %d batches", last, n)
	}
	slow := data.Func{N: 10, F: func(ctx context.Context, i int) ([]*lucid.Tensor, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	for _, err := range data.NewLoader(slow, data.LoaderOptions{Workers: 2, Timeout: 10 * time.Millisecond}).All(context.Background()) {
		last = err
	}
	if !errors.Is(last, context.DeadlineExceeded) {
		t.Errorf("timeout: %v", last)
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines are left of %d", runtime.NumGoroutine(), before)
}

func TestDatasets(t *testing.T) {
	a, b := numbers(4), numbers(3)
	c := data.NewConcatDataset(a, b)
	get := func(d data.Dataset, i int) []float64 {
		x, err := d.Get(i)
		if err != nil {
			t.Fatal(err)
		}
		var out []float64
		for _, p := range x {
			out = append(out, p.Item())
		}
		return out
	}
	if c.Len() != 7 || fmt.Sprint(get(c, 5)) != "[1 2]" {
		t.Error("concat")
	}
	if s := data.NewStackDataset(b, b); fmt.Sprint(get(s, 2)) != "[2 4 2 4]" {
		t.Error("stack")
	}
	parts := data.RandomSplit(c, []float64{0.5, 0.5}, 1)
	if parts[0].Len() != 4 || parts[1].Len() != 3 {
		t.Errorf("split in %d and %d", parts[0].Len(), parts[1].Len())
	}
	seen := append(slices.Clone(parts[0].Indices), parts[1].Indices...)
	slices.Sort(seen)
	if fmt.Sprint(seen) != "[0 1 2 3 4 5 6]" {
		t.Errorf("split %v", seen)
	}
	for _, d := range []data.Dataset{a, c, parts[0]} {
		for _, i := range []int{-1, d.Len()} {
			if _, err := d.Get(i); !errors.Is(err, lucid.ErrIndex) {
				t.Errorf("%T: index %d gave %v", d, i, err)
			}
		}
	}
	if err := lucid.Try(func() { data.RandomSplit(c, []float64{math.NaN(), 0.5}, 0) }); !errors.Is(err, lucid.ErrValue) {
		t.Error("a share of NaN:", err)
	}
	if err := lucid.Try(func() { data.RandomSplit(c, []int{1, 2}, 0) }); err == nil {
		t.Error("a split that loses examples was accepted")
	}
}

// TestSubsetBatches asks that a subset of tensors is read at once, and gives what reading one by one gives.
func TestSubsetBatches(t *testing.T) {
	d := data.NewSubset(data.NewSubset(numbers(10), []int{9, 7, 5, 3, 1}), []int{4, 0, 2})
	for b, err := range data.NewLoader(d, data.LoaderOptions{BatchSize: 3}).All(context.Background()) {
		if got := fmt.Sprint(lucid.ToSlice[int](b[0])); err != nil || got != "[1 9 5]" {
			t.Errorf("%s, %v", got, err)
		}
	}
}
