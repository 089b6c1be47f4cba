package cuda

import (
	"sync"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/ref"
	"github.com/lucid-go/lucid/internal/mem"
	F "github.com/lucid-go/lucid/nn/functional"
)

// insides is a device whose attention and its gradient write strided outputs; it counts these, and what it concatenates
// otherwise.
var insides struct {
	sync.Once
	cats, copies, strided, laid int
}

func insideDevice() lucid.Device {
	insides.Do(func() {
		d := *ref.Device
		d.Type = "insides"
		d.Table = backend.Table{}
		for name, k := range ref.Device.Table {
			d.Table[name] = k
		}
		d.StridedWriter = stridedWriter{}
		cat, move := d.Table["cat"], d.Table["copy"]
		d.Table["cat"] = func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
			insides.cats++
			return cat(c, a, out, in)
		}
		d.Table["copy"] = func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
			insides.copies++
			return move(c, a, out, in)
		}
		d.Table["attention_grad"] = anywhere(d.Table["attention_grad"], &insides.strided)
		d.Table["attention"] = anywhere(d.Table["attention"], &insides.laid)
		backend.Register("insides", func(int) (*backend.Device, error) { return &d, nil })
	})
	insides.cats, insides.copies, insides.strided, insides.laid = 0, 0, 0, 0
	return lucid.Device{Type: "insides"}
}

// anywhere lets a kernel write strided outputs, and counts those that are not row-major.
func anywhere(k backend.Kernel, strided *int) backend.Kernel {
	return func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		apart := make([]backend.View, len(out))
		for i, v := range out {
			apart[i] = backend.View{Buf: mem.FromGo(make([]byte, v.Numel()*v.DType.Size())), DType: v.DType, Shape: v.Shape}
			if !v.Contiguous() {
				*strided++
			}
		}
		if err := k(c, a, apart, in); err != nil {
			return err
		}
		for i, v := range out {
			put(v, apart[i])
		}
		return nil
	}
}

// put copies elements one by one into a view.
func put(to, from backend.View) {
	dims, st := to.Shape.Dims(), to.Strides()
	for i := range to.Numel() {
		at, rest := to.Offset(), i
		for d := len(dims) - 1; d >= 0; d-- {
			at += rest % dims[d] * st[d]
			rest /= dims[d]
		}
		to.DType.Put(to.Buf.Mem, at, from.DType.Get(from.Buf.Mem, i))
	}
}

// TestConcatElision: the gradients of queries, keys and values that were slices of one value are written into its gradient,
// however they were sliced; not where one of them is an output itself, or where they overlap.
func TestConcatElision(t *testing.T) {
	const b, l, h, e = 2, 3, 2, 4
	attend := func(q, k, v *lucid.Tensor) *lucid.Tensor {
		return F.ScaledDotProductAttention(q, k, v, F.ScaledDotProductAttentionOptions{IsCausal: true}).Square().Sum()
	}
	thirds := func(x *lucid.Tensor) *lucid.Tensor {
		y := x.Reshape(b, l, 3, h, e)
		part := func(i int) *lucid.Tensor { return y.Select(2, i).Transpose(1, 2) }
		return attend(part(0), part(1), part(2))
	}
	for _, c := range []struct {
		name string
		f    func(x *lucid.Tensor) *lucid.Tensor
		want int // results that are slices of another
	}{
		{"thirds", thirds, 3},
		{"columns", func(x *lucid.Tensor) *lucid.Tensor {
			part := func(i int) *lucid.Tensor { return x.Narrow(2, i*h*e, h*e).Reshape(b, l, h, e).Transpose(1, 2) }
			return attend(part(2), part(0), part(1))
		}, 3},
		{"one is used twice", func(x *lucid.Tensor) *lucid.Tensor {
			part := func(i int) *lucid.Tensor { return x.Reshape(b, l, 3, h, e).Select(2, i).Transpose(1, 2) }
			return attend(part(0), part(1), part(1)).Add(part(2).Sum())
		}, 0},
		{"more is added", func(x *lucid.Tensor) *lucid.Tensor { return thirds(x).Add(x.Square().Sum()) }, 3},
	} {
		lucid.Seed(1)
		x := lucid.Randn(b, l, 3*h*e).Eval()
		want := lucid.Grad(c.f)(x)
		dev := insideDevice()
		g := lucid.Grad(c.f)
		step := lucid.Compile(func(in []*lucid.Tensor) []*lucid.Tensor { return []*lucid.Tensor{g(in[0]).Mul(2)} })
		var got *lucid.Tensor
		lucid.WithDevice(dev, func() { got = step([]*lucid.Tensor{x.To(dev)})[0].To(lucid.CPU) })
		if !lucid.AllClose(got, want.Mul(2), lucid.CloseOptions{RTol: new(1e-5), ATol: new(1e-5)}) {
			t.Errorf("%s: %v, want %v", c.name, got, want.Mul(2))
		}
		if insides.strided != c.want || c.want > 0 && insides.cats > 0 {
			t.Errorf("%s: %d results are parts of another, want %d; %d times parts were copied together", c.name, insides.strided,
				c.want, insides.cats)
		}
	}
}

// TestResultLayout: attention writes its result in the layout that the next layer reads, rows of all heads, unless it is an
// output itself.
func TestResultLayout(t *testing.T) {
	const b, l, h, e = 2, 3, 2, 4
	attend := func(x *lucid.Tensor) *lucid.Tensor {
		q := x.Reshape(b, l, h, e).Transpose(1, 2)
		return F.ScaledDotProductAttention(q, q, q.Mul(2), F.ScaledDotProductAttentionOptions{IsCausal: true})
	}
	for _, c := range []struct {
		name         string
		f            func(x, w *lucid.Tensor) []*lucid.Tensor
		laid, copies int
	}{
		{"rows of all heads", func(x, w *lucid.Tensor) []*lucid.Tensor {
			return []*lucid.Tensor{attend(x).Transpose(1, 2).Reshape(b, l, h*e).MatMul(w)}
		}, 1, 0},
		{"its gradient, which is copied itself", func(x, w *lucid.Tensor) []*lucid.Tensor {
			return []*lucid.Tensor{lucid.Grad(func(x *lucid.Tensor) *lucid.Tensor {
				return attend(x).Transpose(1, 2).Reshape(b*l, h*e).MatMul(w).Square().Sum()
			})(x)}
		}, 1, 1},
		{"read otherwise too", func(x, w *lucid.Tensor) []*lucid.Tensor {
			y := attend(x)
			return []*lucid.Tensor{y.Transpose(1, 2).Reshape(b, l, h*e).MatMul(w), y.Sum(3), y.Square()}
		}, 1, 0},
		{"returned", func(x, w *lucid.Tensor) []*lucid.Tensor {
			y := attend(x)
			return []*lucid.Tensor{y.Transpose(1, 2).Reshape(b, l, h*e).MatMul(w), y}
		}, 0, 1},
		{"in row-major order", func(x, w *lucid.Tensor) []*lucid.Tensor {
			return []*lucid.Tensor{attend(x).Reshape(b, h*l, e).MatMul(w.Narrow(0, 0, e))}
		}, 0, 0},
	} {
		lucid.Seed(1)
		x, w := lucid.Randn(b, l, h*e).Eval(), lucid.Randn(h*e, 5).Eval()
		want := c.f(x, w)
		dev := insideDevice()
		f := lucid.Compile(func(in []*lucid.Tensor) []*lucid.Tensor { return c.f(in[0], in[1]) })
		lucid.WithDevice(dev, func() {
			for i, got := range f([]*lucid.Tensor{x.To(dev), w.To(dev)}) {
				if got = got.To(lucid.CPU); !lucid.AllClose(got, want[i], lucid.CloseOptions{RTol: new(1e-5), ATol: new(1e-5)}) {
					t.Errorf("%s: result %d is %v, want %v", c.name, i, got, want[i])
				}
			}
		})
		if insides.laid != c.laid || insides.copies != c.copies {
			t.Errorf("%s: %d results in another order, %d copies; want %d and %d", c.name, insides.laid, insides.copies, c.laid, c.copies)
		}
	}
}
