package autograd_test

import (
	"errors"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/autograd"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
)

type list = []*lucid.Tensor

// counted are hooks that note what they do, and store something else than the tensor.
func counted(packs, unpacks *int, bytes *int) autograd.Hooks {
	type box struct {
		data  []float32
		shape []int
		other *lucid.Tensor
	}
	return autograd.Hooks{
		Pack: func(t *lucid.Tensor) any {
			*packs++
			*bytes += t.NumElement() * t.ElementSize()
			if t.DType() != lucid.Float32 {
				return box{other: t}
			}
			return box{data: lucid.ToSlice[float32](t), shape: t.Shape()}
		},
		Unpack: func(p any) *lucid.Tensor {
			*unpacks++
			b := p.(box)
			if b.other != nil {
				return b.other
			}
			return lucid.New(b.data, b.shape...)
		},
	}
}

var savedCases = map[string]func(w, b *lucid.Tensor) func(list) list{
	"chain": func(w, b *lucid.Tensor) func(list) list {
		return func(in list) list { return list{in[0].MatMul(w).Add(b).Tanh().Mul(in[0]).Sigmoid()} }
	},
	"two results": func(w, b *lucid.Tensor) func(list) list {
		return func(in list) list {
			y := in[0].MatMul(w).Exp()
			return list{y.Sum(1), y.Softmax(1).Log()}
		}
	},
	"tuples": func(w, b *lucid.Tensor) func(list) list {
		return func(in list) list {
			v, _ := in[0].MatMul(w).TopK(2)
			q := in[0].Reshape(1, 1, 4, 4)
			return list{v.Square(), F.ScaledDotProductAttention(q, q.MatMul(w), q.Sin()).Reshape(4, 4),
				F.LayerNorm(in[0], []int{4}, F.LayerNormOptions{Weight: b})}
		}
	},
	"dropout": func(w, b *lucid.Tensor) func(list) list {
		return func(in list) list {
			return list{F.Dropout(in[0].MatMul(w).Tanh(), F.DropoutOptions{P: new(0.5)}).Square()}
		}
	},
	"an input": func(w, b *lucid.Tensor) func(list) list {
		return func(in list) list { return list{in[0], in[0].Mul(w), b} }
	},
	"nothing to save": func(w, b *lucid.Tensor) func(list) list {
		return func(in list) list { return list{in[0].Add(w).Sum()} }
	},
}

func loss(ys list) *lucid.Tensor {
	sum := lucid.Zeros()
	for i, y := range ys {
		sum = sum.Add(y.Mul(float64(i + 1)).Cos().Sum())
	}
	return sum
}

func savedLeaves() (x, w, b *lucid.Tensor) {
	make := func(n int, div float64, shape ...int) *lucid.Tensor {
		return lucid.Arange(n).To(lucid.Float32).Div(div).Sin().Reshape(shape...).Detach().RequiresGrad_(true)
	}
	return make(16, 3, 4, 4), make(16, 5, 4, 4), make(4, 2, 4)
}

// TestSavedTensorHooks compares gradients with those without hooks.
func TestSavedTensorHooks(t *testing.T) {
	for name, c := range savedCases {
		x, w, b := savedLeaves()
		lucid.Seed(9)
		want := c(w, b)(list{x})
		loss(want).Backward()
		x2, w2, b2 := savedLeaves()
		packs, unpacks, bytes := 0, 0, 0
		lucid.Seed(9)
		got := autograd.SavedTensorHooks(c(w2, b2), counted(&packs, &unpacks, &bytes))(x2)
		for i := range want {
			if !lucid.Equal(got[i].Detach(), want[i].Detach()) {
				t.Errorf("%s: result %d is %v; want %v", name, i, got[i], want[i])
			}
		}
		if unpacks != 0 {
			t.Errorf("%s: unpacked before Backward", name)
		}
		l := loss(got)
		l.Backward(lucid.BackwardOptions{RetainGraph: true})
		first := x2.Grad().Detach()
		x2.ZeroGrad()
		w2.ZeroGrad()
		b2.ZeroGrad()
		l.Backward()
		if !lucid.Equal(first, x2.Grad()) {
			t.Errorf("%s: another gradient the second time", name)
		}
		for i, pair := range [][2]*lucid.Tensor{{x, x2}, {w, w2}, {b, b2}} {
			a, g := pair[0].Grad(), pair[1].Grad()
			if (a == nil) != (g == nil) || a != nil && !lucid.AllClose(g, a, lucid.CloseOptions{RTol: new(1e-5), ATol: new(1e-6)}) {
				t.Errorf("%s: gradient %d is %v; want %v", name, i, g, a)
			}
		}
		if few := name == "nothing to save" || name == "an input"; (packs == 0) != few || unpacks != 2*packs {
			t.Errorf("%s: packed %d times, unpacked %d times", name, packs, unpacks)
		}
	}
}

// TestSavedHalf stores values with half the bytes: gradients are near.
func TestSavedHalf(t *testing.T) {
	x, w, b := savedLeaves()
	f := savedCases["chain"](w, b)
	loss(f(list{x})).Backward()
	want := x.Grad().Detach()
	x.ZeroGrad()
	g := autograd.SavedTensorHooks(f, autograd.Hooks{
		Pack:   func(t *lucid.Tensor) any { return t.To(lucid.BFloat16) },
		Unpack: func(p any) *lucid.Tensor { return p.(*lucid.Tensor).To(lucid.Float32) }})
	loss(g(x)).Backward()
	if lucid.Equal(x.Grad(), want) || !lucid.AllClose(x.Grad(), want, lucid.CloseOptions{RTol: new(0.05), ATol: new(0.05)}) {
		t.Errorf("%v; want nearly %v", x.Grad(), want)
	}
}

// TestSavedSecond differentiates twice, compiles and maps: hooks stay out of the way.
func TestSavedSecond(t *testing.T) {
	x, w, b := savedLeaves()
	f := savedCases["chain"](w, b)
	packs, unpacks, bytes := 0, 0, 0
	g := autograd.SavedTensorHooks(f, counted(&packs, &unpacks, &bytes))
	second := func(f func(...*lucid.Tensor) list) *lucid.Tensor {
		x.ZeroGrad()
		loss(f(x)).Backward(lucid.BackwardOptions{CreateGraph: true})
		d := x.Grad().Square().Sum()
		x.ZeroGrad()
		d.Backward()
		return x.Grad().Detach()
	}
	want := second(func(xs ...*lucid.Tensor) list { return f(xs) })
	if got := second(g); !lucid.AllClose(got, want, lucid.CloseOptions{RTol: new(1e-4), ATol: new(1e-5)}) {
		t.Errorf("second derivative %v; want %v", got, want)
	}
	packs = 0
	whole := func(x *lucid.Tensor) *lucid.Tensor { return loss(g(x)) }
	plain := func(x *lucid.Tensor) *lucid.Tensor { return loss(f(list{x})) }
	d := x.Detach()
	for name, pair := range map[string][2]*lucid.Tensor{
		"grad":    {lucid.Grad(whole)(d), lucid.Grad(plain)(d)},
		"compile": {lucid.Compile(lucid.Grad(whole))(d), lucid.Grad(plain)(d)},
		"vmap":    {lucid.VMap(whole)(lucid.Stack(list{d, d}, 0)), lucid.Stack(list{plain(d), plain(d)}, 0)},
	} {
		if !lucid.AllClose(pair[0].Detach(), pair[1].Detach(), lucid.CloseOptions{RTol: new(1e-4), ATol: new(1e-5)}) {
			t.Errorf("%s: %v; want %v", name, pair[0], pair[1])
		}
	}
	if packs != 0 {
		t.Errorf("%d values were packed inside transforms", packs)
	}
	lucid.NoGrad(func() { g(x) })
	if packs != 0 {
		t.Error("packed inside NoGrad")
	}
}

// TestSavedRefuses asks for errors of hooks that do not give back what they got.
func TestSavedRefuses(t *testing.T) {
	x, w, b := savedLeaves()
	for name, unpack := range map[string]func(any) *lucid.Tensor{
		"nil":   func(any) *lucid.Tensor { return nil },
		"shape": func(any) *lucid.Tensor { return lucid.Zeros(7) },
		"dtype": func(p any) *lucid.Tensor { return p.(*lucid.Tensor).To(lucid.Float64) },
	} {
		g := autograd.SavedTensorHooks(savedCases["chain"](w, b), autograd.Hooks{
			Pack: func(t *lucid.Tensor) any { return t }, Unpack: unpack})
		err := lucid.Try(func() { loss(g(x)).Backward() })
		if !errors.Is(err, lucid.ErrValue) && !errors.Is(err, lucid.ErrShapeMismatch) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if lucid.Try(func() { autograd.SavedTensorHooks(savedCases["chain"](w, b), autograd.Hooks{}) }) == nil {
		t.Error("no hooks were taken")
	}
}

// TestSavedModule trains a module with its blocks' values in host memory; batch statistics are updated once.
func TestSavedModule(t *testing.T) {
	build := func() *nn.Sequential {
		lucid.Seed(5)
		return nn.NewSequential(nn.NewLinear(4, 8), nn.NewBatchNorm1d(8), nn.NewGELU(), nn.NewLinear(8, 2))
	}
	plain, moved := build(), build()
	x := lucid.Arange(24).To(lucid.Float32).Div(3).Sin().Reshape(6, 4)
	f := autograd.SaveOnCPU(func(in list) list { return list{moved.Forward(in[0])} })
	for range 3 {
		plain.Forward(x).Square().Sum().Backward()
		f(x)[0].Square().Sum().Backward()
	}
	other := nn.Parameters(moved)
	for i, p := range nn.Parameters(plain) {
		if !lucid.AllClose(other[i].Grad(), p.Grad(), lucid.CloseOptions{RTol: new(1e-4), ATol: new(1e-5)}) {
			t.Errorf("gradient %d: %v; want %v", i, other[i].Grad(), p.Grad())
		}
	}
	s := nn.StateDict(moved)
	for name, v := range nn.StateDict(plain).All() {
		if !lucid.AllClose(s.Get(name), v) {
			t.Errorf("%s: %v; want %v", name, s.Get(name), v)
		}
	}
}
