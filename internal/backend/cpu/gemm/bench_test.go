package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/lucid-go/lucid/internal/asmvariant"
)

// goRun is a Runner over GOMAXPROCS goroutines, for tests and benchmarks.
func goRun(blocks int, f func(int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), blocks) {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= blocks {
					return
				}
				f(i)
			}
		})
	}
	wg.Wait()
}

// peak is the best of a few short probes, in flop/s of one core.
func peak(probe func(int) float64) float64 {
	best := 0.0
	for range 5 {
		start := time.Now()
		flops := probe(20000)
		best = max(best, flops/time.Since(start).Seconds())
	}
	return best
}

type benchShape struct {
	m, n, k int
	ta, tb  bool // stored transposed
}

func (s benchShape) String() string {
	name := fmt.Sprintf("%dx%dx%d", s.m, s.n, s.k)
	if s.m == s.n && s.n == s.k {
		name = fmt.Sprint(s.m)
	}
	if s.ta {
		name += "/ta"
	}
	if s.tb {
		name += "/tb"
	}
	return name
}

// benchProduct times one shape. Other work may share the machine, so it reports the
// best of many bursts, and its share of the best probe taken just before and after.
func benchProduct[T Float](b *testing.B, f multiplyOf[T], probe func(int) float64, s benchShape, run Runner) {
	r := rand.New(rand.NewPCG(1, 2))
	ao, bo := rowMajor, rowMajor
	if s.ta {
		ao = colMajor
	}
	if s.tb {
		bo = colMajor
	}
	x, y := store(random[T](r, s.m*s.k), ao, s.m, s.k), store(random[T](r, s.k*s.n), bo, s.k, s.n)
	c := make([]T, s.m*s.n)
	mul := func() {
		f(s.m, s.n, s.k, x.data, x.rs, x.cs, y.data, y.rs, y.cs, c, s.n, Overwrite, nil, run)
	}
	mul()
	cores := 1.0
	if run != nil {
		cores = float64(runtime.GOMAXPROCS(0))
	}
	flops := 2 * float64(s.m) * float64(s.n) * float64(s.k)
	burst := int(min(max(1, 2e7/flops), 1000)) // calls between two looks at the clock
	top, best, calls := peak(probe), math.Inf(1), 0
	start := time.Now()
	for b.Loop() {
		mul()
		if calls++; calls%burst == 0 {
			now := time.Now()
			best = min(best, now.Sub(start).Seconds()/float64(burst))
			start = now
		}
	}
	top = max(top, peak(probe)) * cores
	if calls < burst {
		return
	}
	b.ReportMetric(best*1e9, "best-ns")
	b.ReportMetric(flops/best/1e9, "GFLOP/s")
	b.ReportMetric(100*flops/best/top, "%peak")
	if min(s.m, s.n) <= 16 {
		bytes := float64(len(x.data)+len(y.data)+len(c)) * float64(sizeOf[T]())
		b.ReportMetric(bytes/best/1e9, "GB/s")
	}
}

func squares() (list []benchShape) {
	for _, n := range []int{64, 128, 256, 512, 1024, 2048} {
		list = append(list, benchShape{n, n, n, false, false})
	}
	return list
}

func BenchmarkFloat32(b *testing.B) {
	for _, s := range squares() {
		b.Run(s.String(), func(b *testing.B) { benchProduct(b, Float32, PeakFMAProbe32, s, nil) })
	}
}

func BenchmarkFloat64(b *testing.B) {
	for _, s := range squares() {
		b.Run(s.String(), func(b *testing.B) { benchProduct(b, Float64, PeakFMAProbe64, s, nil) })
	}
}

func BenchmarkParallel(b *testing.B) {
	for _, s := range squares() {
		b.Run(s.String(), func(b *testing.B) { benchProduct(b, Float32, PeakFMAProbe32, s, goRun) })
	}
}

// BenchmarkVariant runs each instruction set on one shape.
func BenchmarkVariant(b *testing.B) {
	asmvariant.ForEach(b, "gemm", func(name string) {
		s := benchShape{512, 512, 512, false, false}
		b.Run(name+"/float32", func(b *testing.B) { benchProduct(b, Float32, PeakFMAProbe32, s, nil) })
		b.Run(name+"/float64", func(b *testing.B) { benchProduct(b, Float64, PeakFMAProbe64, s, nil) })
	})
}

// BenchmarkShapes has transposed, skinny and odd products.
func BenchmarkShapes(b *testing.B) {
	for _, s := range []benchShape{
		{1024, 1024, 1024, true, false}, {1024, 1024, 1024, false, true}, {1024, 1024, 1024, true, true},
		{1, 4096, 4096, false, false}, {1, 4096, 4096, false, true},
		{4096, 1, 4096, false, false}, {4096, 1, 4096, true, false},
		{2, 4096, 4096, false, false}, {4, 4096, 4096, false, false}, {4, 4096, 4096, false, true},
		{8, 4096, 4096, false, false}, {8, 4096, 4096, false, true}, {24, 4096, 4096, false, false}, {24, 4096, 4096, false, true},
		{1, 512, 512, false, false}, {1, 512, 512, false, true}, {512, 1, 512, false, false},
		{16, 768, 768, false, true}, {64, 768, 768, false, true}, {256, 768, 3072, false, true},
		{4096, 10, 512, false, false}, {4096, 16, 64, false, false}, {128, 4, 69, false, false},
		{8, 8, 8, false, false}, {16, 16, 16, false, false}, {32, 32, 32, false, false},
		{64, 64, 64, false, true}, {100, 100, 100, false, false}, {127, 127, 127, false, true},
		{64, 256, 784, false, true}, {256, 784, 64, true, false}, {784, 256, 64, true, false}, {64, 10, 256, false, true},
		{10, 256, 64, true, false}, {64, 256, 10, false, false},
	} {
		b.Run(s.String(), func(b *testing.B) { benchProduct(b, Float32, PeakFMAProbe32, s, nil) })
	}
}

// BenchmarkBFloat16 measures against the float32 peak; in pairs it can be twice that.
func BenchmarkBFloat16(b *testing.B) {
	for _, s := range []benchShape{
		{256, 256, 256, false, false}, {1024, 1024, 1024, false, false}, {1024, 1024, 1024, true, true},
		{1, 4096, 4096, false, false}, {1, 4096, 4096, false, true}, {8, 4096, 4096, false, true},
	} {
		b.Run(s.String(), func(b *testing.B) { benchProduct(b, bitsOf, PeakFMAProbe32, s, nil) })
	}
}

// bitsOf is BFloat16 for whatever the bits of float32 are.
func bitsOf(m, n, k int, x []float32, ars, acs int, y []float32, brs, bcs int,
	c []float32, crs int, mode Mode, ep Epilogue[float32], run Runner) {
	BFloat16(m, n, k, halfOf(x), ars, acs, halfOf(y), brs, bcs, c, crs, mode, ep, run)
}

// intsOf views the memory of x as int32.
func intsOf(x []float32) []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(&x[0])), len(x))
}

// halfOf views the memory of x as bfloat16: any values do.
func halfOf(x []float32) []uint16 {
	return unsafe.Slice((*uint16)(unsafe.Pointer(&x[0])), len(x))
}

// BenchmarkFewRows is a product of a few rows with a small matrix that is stored by columns, and by rows.
func BenchmarkFewRows(b *testing.B) {
	const n, k = 64, 64
	x, w, y := make([]float32, 8*k), make([]float32, n*k), make([]float32, 8*n)
	for i := range w {
		w[i] = rand.Float32() - 0.5
	}
	for i := range x {
		x[i] = rand.Float32() - 0.5
	}
	for _, m := range []int{1, 2, 4, 8} {
		b.Run(fmt.Sprint(m), func(b *testing.B) {
			for b.Loop() {
				Float32(m, n, k, x, k, 1, w, 1, k, y, n, Overwrite, nil, nil)
			}
		})
		b.Run(fmt.Sprint(m, "/rows"), func(b *testing.B) {
			for b.Loop() {
				Float32(m, n, k, x, k, 1, w, n, 1, y, n, Overwrite, nil, nil)
			}
		})
	}
}

// BenchmarkStored has the products of a small encoder, with stored panels: each round takes the weights of the next of several layers, as
// an encoder does, so that they come from afar.
func BenchmarkStored(b *testing.B) {
	const layers = 40
	for _, s := range []benchShape{
		{128, 384, 384, false, true}, {128, 1152, 384, false, true}, {128, 1536, 384, false, true}, {128, 384, 1536, false, true},
	} {
		b.Run(s.String(), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			x, w, c := random[float32](r, s.m*s.k), random[float32](r, s.k*s.n), make([]float32, s.m*s.n)
			var panels [layers][]float32
			for i := range panels {
				panels[i] = make([]float32, StoredLen(s.k, s.n))
				Store(panels[i], w, 1, s.k, s.k, s.n, 0, ceilDiv(s.n, StoredWidth()))
			}
			best, top := math.Inf(1), peak(PeakFMAProbe32)
			for b.Loop() {
				for i := range panels {
					start := time.Now()
					Float32Stored(s.m, s.n, s.k, x, s.k, 1, w, 1, s.k, panels[i], c, s.n, nil, nil)
					best = min(best, time.Since(start).Seconds())
				}
			}
			flops := 2 * float64(s.m) * float64(s.n) * float64(s.k)
			b.ReportMetric(flops/best/1e9, "GFLOP/s")
			b.ReportMetric(100*flops/best/max(top, peak(PeakFMAProbe32)), "%peak")
		})
	}
}

// BenchmarkFrozen has the products of a step that tunes an adapter of a model of 0.5 billion parameters: rows with weights that are stored
// transposed, and gradients of rows with the same weights as they are. Weights come from afar.
func BenchmarkFrozen(b *testing.B) {
	for _, s := range []benchShape{
		{1024, 896, 896, false, true}, {1024, 128, 896, false, true}, {1024, 4864, 896, false, true}, {1024, 896, 4864, false, true},
		{256, 37984, 896, false, true},
		{1024, 896, 896, false, false}, {1024, 896, 128, false, false}, {1024, 896, 4864, false, false}, {1024, 4864, 896, false, false},
		{256, 896, 37984, false, false},
	} {
		for _, run := range []Runner{nil, goRun} {
			name := "one/"
			if run != nil {
				name = "all/"
			}
			b.Run(name+s.String(), func(b *testing.B) { benchProduct(b, Float32, PeakFMAProbe32, s, run) })
		}
	}
}

// BenchmarkBFloat16Rows reads 192 MB of weights with a few rows, where they are and from stored panels: GB/s.
func BenchmarkBFloat16Rows(b *testing.B) {
	const n, k, layers = 8192, 2048, 6
	if !HasBF16Rows() {
		b.Skip("no AVX512_BF16")
	}
	var weights [layers][]uint16
	var panels [layers][]float32
	for i := range layers {
		weights[i], panels[i] = make([]uint16, n*k), make([]float32, PairsLen(k, n))
		for j := range weights[i] {
			weights[i][j] = uint16(j)
		}
		StorePairs(panels[i], weights[i], k, n, 0, n/PairsWidth())
	}
	for _, m := range []int{1, 8} {
		a, c := make([]uint16, m*k), make([]float32, m*n)
		for _, stored := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d/stored=%v", m, stored), func(b *testing.B) {
				b.SetBytes(2 * n * k * layers)
				for b.Loop() {
					for i := range layers {
						if stored {
							BFloat16Stored(m, n, k, a, k, panels[i], c, n, goRun)
						} else {
							BFloat16Rows(m, n, k, a, k, weights[i], c, n, goRun)
						}
					}
				}
			})
		}
	}
}
