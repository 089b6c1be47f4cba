package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

func plainView(d dtype.DType, dims ...int) backend.View {
	v := outputOf(d, dims)
	fillRandom(rand.New(rand.NewPCG(1, 1)), d, v.Buf.Mem, v.Numel())
	return v
}

// transposed shows the last two dimensions the other way round.
func transposed(v backend.View) backend.View {
	d, s := v.Shape.Clone(), append([]int(nil), v.Strides()...)
	r := len(d)
	d[r-1], d[r-2], s[r-1], s[r-2] = d[r-2], d[r-1], s[r-2], s[r-1]
	return backend.View{Buf: v.Buf, DType: v.DType, Shape: shape.Of("bench", d...), Lay: &shape.Layout{Strides: s}}
}

// benchKernel reports multiply-adds as two operations each.
func benchKernel(b *testing.B, op string, a attr.Attr, work int, out backend.View, in ...backend.View) {
	c := testCtx()
	for b.Loop() {
		if err := table[op](c, a, []backend.View{out}, in); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(2*float64(work)*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gflop/s")
}

func BenchmarkMatmul(b *testing.B) {
	for _, d := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.BFloat16, dtype.Int32, dtype.Complex64} {
		for _, s := range [][4]int{{1, 512, 512, 512}, {1, 1, 4096, 4096}, {64, 64, 64, 64}, {4096, 4, 4, 4}} {
			batch, m, n, k := s[0], s[1], s[2], s[3]
			b.Run(fmt.Sprintf("%v/%dx%dx%dx%d", d, batch, m, n, k), func(b *testing.B) {
				benchKernel(b, "matmul", nil, batch*m*n*k, outputOf(d, []int{batch, m, n}), plainView(d, batch, m, k),
					plainView(d, batch, k, n))
			})
		}
	}
	b.Run("bfloat16/linear/1x4096x4096", func(b *testing.B) {
		d := dtype.BFloat16
		benchKernel(b, "matmul", nil, 4096*4096, outputOf(d, []int{1, 4096}), plainView(d, 1, 4096), transposed(plainView(d, 4096, 4096)))
	})
}

type convBench struct {
	name                          string
	n, c, size, o, k, stride, pad int
	groups                        int
}

var convBenches = []convBench{
	{"stem", 4, 3, 224, 64, 7, 2, 3, 1},
	{"3x3-64", 4, 64, 56, 64, 3, 1, 1, 1},
	{"3x3-512", 4, 512, 7, 512, 3, 1, 1, 1},
	{"1x1-256", 4, 256, 28, 128, 1, 1, 0, 1},
	{"depthwise", 4, 128, 56, 128, 3, 1, 1, 128},
}

func (s convBench) attr() attr.Conv {
	two := func(v int) attr.Ints { return attr.MakeInts(v, v) }
	return attr.Conv{Stride: two(s.stride), Low: two(s.pad), High: two(s.pad), KernelDilation: two(1), InputDilation: two(1),
		Groups: s.groups}
}

func BenchmarkConv(b *testing.B) {
	for _, s := range convBenches {
		for _, d := range []dtype.DType{dtype.Float32, dtype.BFloat16} {
			b.Run(fmt.Sprintf("%s/%v", s.name, d), func(b *testing.B) {
				a := s.attr()
				y := a.Size(0, s.size, s.k)
				work := s.n * s.o * y * y * s.c / s.groups * s.k * s.k
				benchKernel(b, "conv", a, work, outputOf(d, []int{s.n, s.o, y, y}), plainView(d, s.n, s.c, s.size, s.size),
					plainView(d, s.o, s.c/s.groups, s.k, s.k))
			})
		}
	}
}

// BenchmarkConvGrad runs the convolutions that the rules of ops make of the same layers.
func BenchmarkConvGrad(b *testing.B) {
	d := dtype.Float32
	two := func(v int) attr.Ints { return attr.MakeInts(v, v) }
	for _, s := range convBenches {
		y := s.attr().Size(0, s.size, s.k)
		work := s.n * s.o * y * y * s.c / s.groups * s.k * s.k
		b.Run(s.name+"/input", func(b *testing.B) {
			low := s.k - 1 - s.pad
			a := attr.Conv{Stride: two(1), InputDilation: two(s.stride), KernelDilation: two(1), Low: two(low),
				High: two(s.size + s.k - 1 - ((y-1)*s.stride + 1) - low), Groups: s.groups, Flip: true}
			benchKernel(b, "conv", a, work, outputOf(d, []int{s.n, s.c, s.size, s.size}), plainView(d, s.n, s.o, y, y),
				plainView(d, s.c, s.o/s.groups, s.k, s.k))
		})
		b.Run(s.name+"/weight", func(b *testing.B) {
			a := attr.Conv{Stride: two(1), InputDilation: two(1), KernelDilation: two(s.stride), Low: two(s.pad),
				High: two(s.k - 1 - s.size + (y-1)*s.stride + 1 - s.pad), Groups: s.groups}
			benchKernel(b, "conv", a, work, outputOf(d, []int{s.c / s.groups, s.o, s.k, s.k}),
				plainView(d, s.c/s.groups, s.groups*s.n, s.size, s.size), plainView(d, s.o, s.n, y, y))
		})
	}
}
