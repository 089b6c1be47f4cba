package cuda

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
)

// TestStaging copies values of many sizes to the device and back while it computes; the source is overwritten as soon as
// the call returns.
func TestStaging(t *testing.T) {
	dev := gpu(t)
	r := rand.New(rand.NewPCG(1, 2))
	host := make([]float32, 20<<20)
	for i := range host {
		host[i] = r.Float32()
	}
	var busy *lucid.Tensor
	lucid.WithDevice(dev, func() { busy = lucid.Rand(1024, 1024) })
	for _, n := range []int{1, 1000, 1<<16 - 1, 1 << 16, 1<<16 + 1, 1 << 20, 1<<20 + 3, 9<<20 + 7, 20 << 20} {
		for range 3 {
			busy = busy.Sin().CumSum(1).Tanh().Eval()
			src := slices.Clone(host[:n])
			x := lucid.New(src, n).To(dev).Eval()
			y := x.Mul(2).Eval()
			got, back := y.To(lucid.CPU).Eval(), x.To(lucid.CPU).Eval()
			want := lucid.New(host[:n], n)
			if !lucid.Equal(back, want) || !lucid.Equal(got, want.Mul(2)) {
				t.Fatalf("%d elements came back otherwise", n)
			}
		}
	}
}

// TestOverlap: uploading batches takes no time from a computing device. The times are logged; only a loop slower than both
// one after the other fails.
func TestOverlap(t *testing.T) {
	dev := gpu(t)
	const side, loops, batch = 4096, 20, 16 << 20
	host := make([]float32, batch)
	for i := range host {
		host[i] = float32(i % 1001)
	}
	var x *lucid.Tensor
	lucid.WithDevice(dev, func() { x = lucid.Rand(side, side).Mul(0.01).Eval() })
	work := func() { x.MatMul(x).MatMul(x).Eval() }
	send := func() { lucid.New(host, batch).To(dev).Eval() }
	timed := func(f func()) time.Duration {
		f()
		if err := synchronize(); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		for range loops {
			f()
		}
		if err := synchronize(); err != nil {
			t.Fatal(err)
		}
		return time.Since(begin) / loops
	}
	alone, sent, both := timed(work), timed(send), timed(func() { work(); send() })
	t.Logf("products %v, 64 MiB sent %v (%.1f GB/s), both %v", alone, sent, 4*batch/sent.Seconds()/1e9, both)
	if both > alone+sent+sent/2 {
		t.Errorf("both take %v, more than one after the other: %v and %v", both, alone, sent)
	}
}
