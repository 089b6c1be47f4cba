package cuda

import (
	"context"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/data"
)

// TestLoader prefetches batches to the device, in order and with the same content, while a loop computes; when loops end
// early their memory is freed. The times with and without prefetching are logged.
func TestLoader(t *testing.T) {
	dev := gpu(t)
	const rows, width, batch = 256, 64 << 10, 16 // 4 MiB a batch
	x := lucid.Arange(rows).To(lucid.Float32).Reshape(rows, 1).Expand(rows, width).Contiguous().Eval()
	d := data.NewTensorDataset(x, lucid.Arange(rows))
	var a *lucid.Tensor
	lucid.WithDevice(dev, func() { a = lucid.Rand(4096, 4096).Mul(0.01).To(lucid.BFloat16).Eval() })
	work := func() {
		for range 6 {
			a.MatMul(a).Eval().Free()
		}
	}
	before := lucid.MemoryStats(dev).Allocated
	for _, o := range []data.LoaderOptions{{Workers: 1, Device: dev}, {Workers: 1, Device: dev}, {Workers: 3, Prefetch: 1, Device: dev},
		{Device: dev}, {Workers: 1}} {
		o.BatchSize = batch
		for _, stop := range []int{3, 1 << 30} {
			begin, n := time.Now(), 0
			for b, err := range data.NewLoader(d, o).All(context.Background()) {
				if err != nil {
					t.Fatal(err)
				}
				v := b[0].To(dev)
				if o.Device == dev && b[0].Device() != dev {
					t.Fatalf("a batch on %v", b[0].Device())
				}
				work()
				if got, want := v.Mean().Item(), float64(n*batch)+float64(batch-1)/2; got != want {
					t.Fatalf("%+v: batch %d has mean %v, want %v", o, n, got, want)
				}
				v.Free()
				b[1].Free()
				if n++; n == stop {
					break
				}
			}
			if stop > n {
				t.Logf("%d workers, on the device %v: %v a batch", o.Workers, o.Device == dev, time.Since(begin)/time.Duration(n))
			}
		}
	}
	for range 100 {
		if lucid.MemoryStats(dev).Allocated <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d bytes are in use, %d before", lucid.MemoryStats(dev).Allocated, before)
}
