package data_test

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/data"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/backend/fake"
)

// late is a device that computes late, and what it counts.
var late = sync.OnceValues(func() (*backend.Device, *fake.Faults) { return fake.New(cpu.Device) })

func init() {
	backend.Register("fake", func(int) (*backend.Device, error) {
		d, _ := late()
		return d, nil
	})
}

var fakeDevice = lucid.Device{Type: "fake"}

// loaders make the same batches of rows of 2000 numbers in every way there is.
func loaders(o data.LoaderOptions) map[string]func(ctx context.Context) iter.Seq2[[]*lucid.Tensor, error] {
	x := lucid.Arange(40*2000).To(lucid.Float32).Reshape(40, 2000).Eval()
	all := map[string]func(ctx context.Context) iter.Seq2[[]*lucid.Tensor, error]{}
	o.BatchSize = 4
	all["batches at once"] = data.NewLoader(data.NewTensorDataset(x), o).All
	o.Collate = data.Collate
	all["examples"] = data.NewLoader(data.NewTensorDataset(x), o).All
	all["iterable"] = data.NewIterableLoader(rows{x}, o).All
	return all
}

// rows gives the rows of a tensor in order.
type rows struct{ x *lucid.Tensor }

func (r rows) All(ctx context.Context) iter.Seq2[[]*lucid.Tensor, error] {
	return func(yield func([]*lucid.Tensor, error) bool) {
		for i := range r.x.Size(0) {
			if !yield([]*lucid.Tensor{r.x.At(i)}, nil) {
				return
			}
		}
	}
}

// TestDevice: batches come on their device, the same and in the same order as on the CPU, for any number of workers.
func TestDevice(t *testing.T) {
	for _, d := range []lucid.Device{lucid.CPU, fakeDevice} {
		for _, workers := range []int{0, 1, 3} {
			for name, all := range loaders(data.LoaderOptions{Workers: workers, Device: d}) {
				n := 0
				for b, err := range all(context.Background()) {
					if err != nil {
						t.Fatal(err)
					}
					if b[0].Device() != d {
						t.Fatalf("%s: a batch on %v, want %v", name, b[0].Device(), d)
					}
					want := lucid.Arange(4*2000).To(lucid.Float32).Add(float64(n*8000)).Reshape(4, 2000)
					if got := b[0].To(lucid.CPU); !lucid.Equal(got, want) {
						t.Fatalf("%s, %d workers: batch %d is %v", name, workers, n, got)
					}
					n++
				}
				if n != 10 {
					t.Errorf("%s: %d batches, want 10", name, n)
				}
			}
		}
	}
}

// TestDeviceAhead: while the loop is busy, batches are brought to the device; when it ends early, or its context is done, what
// the loop did not take is freed without the help of the collector.
func TestDeviceAhead(t *testing.T) {
	dev, _ := late()
	for name := range loaders(data.LoaderOptions{}) {
		for _, cancelled := range []bool{false, true} {
			settle(dev)
			before := dev.Pool.Stats().Allocated
			all := loaders(data.LoaderOptions{Workers: 2, Prefetch: 2, Device: fakeDevice})[name]
			ctx, cancel := context.WithCancel(context.Background())
			for b, err := range all(ctx) {
				if err != nil {
					if !cancelled || !errors.Is(err, context.Canceled) {
						t.Fatal(err)
					}
					break
				}
				if ctx.Err() == nil { // else it is one that was ready before
					until(t, name+": batches on the device", func() bool { return dev.Pool.Stats().Allocated-before >= 3*4*2000*4 })
				}
				b[0].Free()
				if !cancelled {
					break
				}
				cancel()
			}
			cancel()
			until(t, name+": all given back", func() bool { return dev.Pool.Stats().Allocated == before })
		}
	}
}

// settle lets the collector find what earlier tests dropped.
func settle(dev *backend.Device) {
	for last := int64(-1); last != dev.Pool.Stats().Allocated; {
		last = dev.Pool.Stats().Allocated
		runtime.GC()
		time.Sleep(5 * time.Millisecond)
	}
}

func until(t *testing.T, what string, f func() bool) {
	t.Helper()
	for range 2000 {
		if f() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	d, _ := late()
	t.Errorf("%s: not in two seconds: %d bytes", what, d.Pool.Stats().Allocated)
}

// TestDeviceFails: a device that cannot take a batch is an error of that batch; one that is not there, of the loader.
func TestDeviceFails(t *testing.T) {
	_, faults := late()
	faults.FailAlloc(1)
	all := loaders(data.LoaderOptions{Workers: 1, Device: fakeDevice})["batches at once"]
	var failed error
	dev, _ := late()
	dev.Pool.Trim()
	for _, err := range all(context.Background()) {
		failed = err
	}
	faults.FailAlloc(0)
	var w *data.WorkerError
	if !errors.Is(failed, lucid.ErrOutOfMemory) || !errors.As(failed, &w) {
		t.Errorf("no memory: %v", failed)
	}
	for _, make := range []func(){
		func() { data.NewLoader(numbers(4), data.LoaderOptions{Device: lucid.Device{Type: "moon"}}) },
		func() { data.NewIterableLoader(rows{}, data.LoaderOptions{Device: lucid.Device{Type: "moon"}}) },
	} {
		if err := lucid.Try(make); !errors.Is(err, lucid.ErrDevice) {
			t.Errorf("no device: %v", err)
		}
	}
}

// TestDeviceOfScope: in a scope of another device examples are still made in host memory.
func TestDeviceOfScope(t *testing.T) {
	var mu sync.Mutex
	var seen []lucid.Device
	d := made(func(i int) ([]*lucid.Tensor, error) {
		x := lucid.Full([]int{3}, float64(i)).Eval()
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, x.Device())
		return []*lucid.Tensor{x}, nil
	})
	lucid.WithDevice(fakeDevice, func() {
		for b, err := range data.NewLoader(d, data.LoaderOptions{BatchSize: 2, Workers: 2, Device: fakeDevice}).All(context.Background()) {
			if err != nil || b[0].Device() != fakeDevice {
				t.Fatal(err, b)
			}
		}
	})
	if slices.Contains(seen, fakeDevice) || len(seen) != 6 {
		t.Errorf("examples made on %v", seen)
	}
}

// made is a dataset of six examples that are made when they are asked for.
type made func(i int) ([]*lucid.Tensor, error)

func (made) Len() int                             { return 6 }
func (f made) Get(i int) ([]*lucid.Tensor, error) { return f(i) }
