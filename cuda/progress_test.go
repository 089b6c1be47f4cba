package cuda

import (
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
)

// TestReadingWaitsForItsOwn: a value is read while the device still has much work that was submitted later, evaluated
// eagerly, by a captured graph, and by a graph that may report device errors.
func TestReadingWaitsForItsOwn(t *testing.T) {
	dev := gpu(t)
	var a, x *lucid.Tensor
	lucid.WithDevice(dev, func() { a, x = lucid.Rand(8192, 8192).Mul(0.01), lucid.Arange(1000).To(lucid.Float32) })
	a = a.To(lucid.BFloat16)
	at := lucid.New([]int64{1, 2, 3}, 3).To(dev)
	bad := lucid.New([]int64{1, 2000, 3}, 3).To(dev)
	if err := lucid.Eval(a, x, at, bad); err != nil {
		t.Fatal(err)
	}
	busy := func() {
		for range 40 {
			a.MatMul(a).Eval().Free()
		}
	}
	plain := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.CumSum(0).Mul(2).Sum() })
	checked := lucid.Compile(func(x, at *lucid.Tensor) *lucid.Tensor { return x.At(at).Sum() })
	large := x.Unsqueeze(0).Expand(300, 1000).Contiguous().Eval()
	for range 4 { // until they are captured
		plain(x).Item()
		checked(x, at).Item()
		busy()
	}
	wait := func(what string, want float64, make func() *lucid.Tensor) {
		if err := synchronize(); err != nil {
			t.Fatal(err)
		}
		y := make()
		begin := time.Now()
		busy()
		asked := time.Since(begin)
		got := y.Item()
		read := time.Since(begin)
		if err := synchronize(); err != nil {
			t.Fatal(err)
		}
		all := time.Since(begin)
		t.Logf("%s: asked for all in %v, read after %v, all done after %v", what, asked, read, all)
		if got != want {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
		if read > (asked+all)/2 {
			t.Errorf("%s: read after %v, where later work ends after %v", what, read, all)
		}
	}
	wait("eager", 499500, func() *lucid.Tensor { return x.Sum().Eval() })
	wait("recorded", plain(x).Item(), func() *lucid.Tensor { return plain(x) })
	wait("captured, with device errors possible", 6, func() *lucid.Tensor { return checked(x, at) })
	wait("large", 999, func() *lucid.Tensor { return large.Add(0).Eval().At(7, 999).Eval() })
	err := lucid.Try(func() {
		y := checked(x, bad)
		busy()
		y.Add(1).Item()
	})
	if !errors.Is(err, lucid.ErrIndex) {
		t.Errorf("a bad position: %v", err)
	}
}

// TestReadingDuringWork reads values of all sizes from several goroutines while others overwrite freed memory.
func TestReadingDuringWork(t *testing.T) {
	dev := gpu(t)
	var wg sync.WaitGroup
	for g := range 6 {
		wg.Go(func() {
			x := lucid.Full([]int{1}, float64(g)).To(dev).Eval()
			for i := range 60 {
				n := []int{1, 1000, 70000, 200000}[(g+i)%4]
				y := x.Expand(n).Add(float64(i)).Eval()
				z := y.Mul(2).Eval() // submitted behind it
				y2 := z.Sub(y).Eval()
				for _, v := range []*lucid.Tensor{y, y2} {
					for k, f := range lucid.ToSlice[float64](v) {
						if f != float64(g+i) {
							t.Errorf("goroutine %d, step %d: element %d of %d is %v", g, i, k, n, f)
							return
						}
					}
				}
				y.Free()
				z.Free()
				y2.Free()
			}
		})
	}
	wg.Wait()
}

// TestBursts submits bursts of small launches, so that the launcher thread takes them, from several goroutines that read
// values, upload some and multiply between them.
func TestBursts(t *testing.T) {
	dev := gpu(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	d, err := device(0)
	if err != nil {
		t.Fatal(err)
	}
	before := d.Queued()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			x := lucid.Full([]int{64}, float64(g)).To(dev).Eval()
			for i := range 1000 {
				y := x.Add(1).Eval()
				x.Free()
				x = y
				want := float64(g + i + 1)
				switch {
				case i%97 == 50:
					if got := x.Max().Item(); got != want {
						t.Errorf("goroutine %d: %v after %d launches, want %v", g, got, i, want)
						return
					}
				case i%131 == 70:
					x = x.To(lucid.CPU).To(dev).Eval()
				case i%151 == 80:
					x = x.Unsqueeze(0).MatMul(lucid.Eye(64).To(dev)).Squeeze(0).Eval()
				case i%211 == 90:
					x = x.Expand(200, 64).CumSum(0).Narrow(0, 0, 1).Squeeze(0).Contiguous().Eval()
				}
			}
			for k, f := range lucid.ToSlice[float64](x) {
				if f != float64(g+1000) {
					t.Errorf("goroutine %d: element %d is %v", g, k, f)
					return
				}
			}
		})
	}
	wg.Wait()
	n := d.Queued() - before
	t.Logf("%d launches were left to the thread", n)
	if n < 1000 {
		t.Errorf("of more than 4000 launches only %d were left to the thread", n)
	}
}
