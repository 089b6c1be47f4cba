package cuda

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/cublas"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// A recurrent layer is a matmul with the recurrent weight for each step, and a pointwise kernel behind it. Half types are
// computed in float32: states are carried from step to step unrounded.

func init() {
	register(map[string]kernel{"recurrent": recurrent, "recurrent_grad": recurrentGrad})
}

// cellNames are the cells in recurrent.cu.
var cellNames = map[attr.Cell]string{attr.CellTanh: "TANH", attr.CellReLU: "RELU", attr.CellLSTM: "LSTM", attr.CellGRU: "GRU"}

func recurrentSource(part string, t dtype.DType, c attr.Cell) string {
	names := "#define TANH 0\n#define RELU 1\n#define LSTM 2\n#define GRU 3\n"
	return kernels.Source("prelude", "elementwise", "functions") + names + "#define " + part + "\n" + typed(t) +
		fmt.Sprintf("#define CELL %s\n#define GATES %d\n", cellNames[c], c.Gates()) + kernels.Source("recurrent")
}

// layerRun is the run of a layer: sizes, and memory for its states.
type layerRun struct {
	d                           *call
	a                           attr.Recurrent
	t, wide                     dtype.DType // of elements, and of the states
	gates, hidden, state, batch int
	offsets, order              []int
	bufs                        []*mem.Buffer
}

func (d *call) newLayer(a attr.Attr, w backend.View) *layerRun {
	l := &layerRun{d: d, a: a.(attr.Recurrent), t: w.DType, wide: w.DType}
	if l.t.IsHalf() {
		l.wide = dtype.Float32
	}
	l.gates = l.a.Cell.Gates()
	l.hidden, l.state = w.Shape.Dim(0)/l.gates, w.Shape.Dim(1)
	l.offsets, l.order = l.a.Offsets(), l.a.Order()
	if len(l.order) > 0 {
		l.batch = l.offsets[1]
	}
	return l
}

func (l *layerRun) free() {
	for _, b := range l.bufs {
		b.Free()
	}
}

// step returns the offset of the values of the k-th step, and how many sequences have it.
func (l *layerRun) step(k int) (at, n int) {
	if k < 0 || k >= len(l.order) {
		return 0, 0
	}
	t := l.order[k]
	return l.offsets[t], l.offsets[t+1] - l.offsets[t]
}

// space returns memory for a state.
func (l *layerRun) space(rows, cols int) (backend.View, error) {
	b, err := l.d.pool.Get("recurrent", max(1, rows*cols)*l.wide.Size())
	if err != nil {
		return backend.View{}, err
	}
	l.bufs = append(l.bufs, b)
	return backend.View{Buf: b, DType: l.wide, Shape: shape.Of("recurrent", rows, cols)}, nil
}

// widened is a copy of a view in the state's dtype; without a view it is zeros.
func (l *layerRun) widened(v *backend.View, rows, cols int) (backend.View, error) {
	to, err := l.space(rows, cols)
	switch {
	case err != nil || rows*cols == 0:
		return to, err
	case v == nil:
		return to, l.d.Fill(address(to), 0, rows*cols*l.wide.Size())
	case v.DType == l.wide:
		return to, l.d.move(to, *v)
	}
	return to, l.d.cast(to, *v)
}

// operands makes inputs contiguous; the weights, whose numbers are given, also have the compute dtype.
func (l *layerRun) operands(in []backend.View, weights ...int) ([]backend.View, error) {
	list := make([]backend.View, len(in))
	for i, v := range in {
		to, b, err := l.d.dense(v)
		if err != nil {
			return nil, err
		}
		if b != nil {
			l.bufs = append(l.bufs, b)
		}
		list[i] = to
	}
	for _, i := range weights {
		if v := list[i]; v.DType != l.wide {
			to, err := l.widened(&v, v.Shape.Dim(0), v.Shape.Dim(1))
			if err != nil {
				return nil, err
			}
			list[i] = to
		}
	}
	return list, nil
}

// product computes z = x·w, m×k by k×n; w may be given transposed. Rows of z behind the m-th stay.
func (l *layerRun) product(z, x, w backend.View, m, n, k int, transposed bool) error {
	if m == 0 || n == 0 {
		return nil
	}
	if k == 0 {
		return l.d.Fill(address(z), 0, m*n*l.wide.Size())
	}
	h, err := l.d.cublas()
	if err != nil || l.d.mode == precompiling {
		return err
	}
	y := cublas.Matrix{Row: n, Column: 1, Batch: n * k}
	if transposed {
		y = cublas.Matrix{Row: 1, Column: k, Batch: n * k}
	}
	p := cublas.Product{DType: l.wide, Batch: 1, M: m, N: n, K: k, X: cublas.Matrix{Row: k, Column: 1, Batch: m * k}, Y: y, Pitch: n,
		Deterministic: l.d.ctx.Deterministic}
	return l.d.product(h, p, address(z), address(x), address(w))
}

// launch runs a kernel of recurrent.cu, one thread per element.
func (l *layerRun) launch(name, part string, n int, g args) error {
	f, err := l.d.kernel(fmt.Sprint(name, l.t, l.a.Cell), name, func() string { return recurrentSource(part, l.t, l.a.Cell) })
	if err != nil || n == 0 {
		return err
	}
	return l.d.launch(f, blocks(n, threads), 1, threads, g)
}

// put adds n elements: x and w in the state's dtype, y as elements; the sum goes to wide and out where they are not 0.
func (l *layerRun) put(n int, x, y, w, wide, out uintptr) error {
	var g args
	g.int(n)
	g.ptr(x, y, w, wide, out)
	return l.launch("recurrent_put", "PUT", n, g)
}

// from is the address of row at of a view with so many columns; 0 if there is no view.
func (l *layerRun) from(v *backend.View, at, cols int) uintptr {
	if v == nil {
		return 0
	}
	return address(*v) + uintptr(at*cols*v.DType.Size())
}

// gatesOf is what all inputs contribute to the gates: their product with w and a bias, as elements.
func (l *layerRun) gatesOf(x, w, bias backend.View) (backend.View, error) {
	n, cols := x.Shape.Dim(0), l.gates*l.hidden
	sums, err := l.space(n, cols)
	if err != nil {
		return sums, err
	}
	// The bias broadcast to every row, in a copy that becomes the result.
	to, b, err := l.d.dense(backend.View{Buf: bias.Buf, DType: bias.DType, Shape: shape.Of("recurrent", n, cols),
		Lay: &shape.Layout{Strides: []int{0, 1}, Offset: bias.Offset()}})
	if b != nil {
		l.bufs = append(l.bufs, b)
	}
	if err != nil || n*cols == 0 {
		return to, err
	}
	if err := l.product(sums, x, w, n, cols, x.Shape.Dim(1), true); err != nil {
		return to, err
	}
	return to, l.put(n*cols, address(sums), address(to), 0, 0, address(to))
}

func recurrent(d *call, a attr.Attr, out, in []backend.View) error {
	l := d.newLayer(a, in[1])
	defer l.free()
	weights, proj := []int{1}, len(in)-1
	if l.a.Input {
		proj -= 2
		weights = append(weights, 0, len(in)-2)
	}
	if l.a.Project {
		weights = append(weights, proj)
	}
	x, err := l.operands(in, weights...)
	if err != nil {
		return err
	}
	if l.a.Input {
		if x[0], err = l.gatesOf(x[0], x[len(x)-2], x[len(x)-1]); err != nil {
			return err
		}
	}
	var bias, extra, z *backend.View
	if l.a.Biased {
		bias = &x[3]
	}
	if len(out) > 2 {
		extra, z = &out[1], &out[2]
	}
	state, err := l.widened(&x[2], l.batch, l.state)
	if err != nil {
		return err
	}
	s, err := l.space(l.batch, l.gates*l.hidden)
	if err != nil {
		return err
	}
	memory, raw := backend.View{}, state
	var cell uintptr
	if l.a.Cell == attr.CellLSTM {
		if memory, err = l.widened(&x[3], l.batch, l.hidden); err != nil {
			return err
		}
		cell = address(memory)
	}
	if l.a.Project {
		if raw, err = l.space(l.batch, l.hidden); err != nil {
			return err
		}
	}
	for k := range l.order {
		at, n := l.step(k)
		if err := l.product(s, state, x[1], n, l.gates*l.hidden, l.state, true); err != nil {
			return err
		}
		y := l.from(&out[0], at, l.state)
		var g args
		g.int(n, l.hidden)
		g.ptr(l.from(&x[0], at, l.gates*l.hidden), address(s), l.from(bias, 0, 0), cell, address(raw))
		if l.a.Project {
			g.ptr(0)
		} else {
			g.ptr(y)
		}
		g.ptr(l.from(extra, at, l.hidden), l.from(z, at, l.gates*l.hidden))
		if err := l.launch("recurrent", "FORWARD", n*l.hidden, g); err != nil {
			return err
		}
		if l.a.Project {
			if err := l.product(state, raw, x[proj], n, l.state, l.hidden, true); err != nil {
				return err
			}
			if err := l.put(n*l.state, address(state), 0, 0, 0, y); err != nil {
				return err
			}
		}
	}
	if l.a.Cell == attr.CellLSTM && z == nil { // the last cell states alone
		return l.put(l.batch*l.hidden, cell, 0, 0, 0, address(out[1]))
	}
	return nil
}
