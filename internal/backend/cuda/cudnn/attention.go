package cudnn

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Attention is a kind of softmax(q·kᵀ·scale)·v: Q is (N, H, L, E), K (N, G, S, E), V (N, G, S, F), the result (N, H, L, F);
// G divides H. Strides are in elements, those of the last dimension 1.
type Attention struct {
	DType                        dtype.DType
	Q, K, V                      attr.Ints // sizes
	QStrides, KStrides, VStrides attr.Ints
	Causal                       bool // query i attends to keys 0 to i
	Backward                     bool
	YStrides                     attr.Ints    // of the result
	GStrides                     attr.Ints    // of its cotangent, backward
	To                           [3]attr.Ints // strides of the cotangents of queries, keys and values, backward
}

// String names the attention.
func (a Attention) String() string {
	way := "attention"
	if a.Backward {
		way = "gradient of attention"
	}
	return fmt.Sprintf("%s of %v, queries %v by %v, keys %v by %v, values %v by %v, causal %v", way, a.DType, a.Q, a.QStrides, a.K,
		a.KStrides, a.V, a.VStrides, a.Causal)
}

// allows takes any engine: all of them accumulate in float32. Those of the gradient may accumulate a query's parts in any
// order.
func (a Attention) allows(notes []note) bool { return !slices.Contains(notes, noteReducedSums) }

func (a Attention) tunes() bool { return false }

// lowest stands for a masked score.
const lowest = -math.MaxFloat32

func swapped(v []int64) []int64 { return []int64{v[0], v[1], v[3], v[2]} }

// scores adds q·kᵀ·scale to the graph.
func (a Attention) scores(n *net, q, kt, scale tensor) tensor {
	b, h, l, s := int64(a.Q.At(0)), int64(a.Q.At(1)), int64(a.Q.At(2)), int64(a.K.At(2))
	x := n.matmul(n.between(typeFloat32, b, h, l, s), q, kt)
	return n.pointwise(modeMul, typeFloat32, n.between(typeFloat32, b, h, l, s), x, scale)
}

// masked adds the causal mask.
func (a Attention) masked(n *net, x, low tensor) tensor {
	row := n.pointwiseAxis(modeIndex, typeFloat32, 2, n.between(typeInt32, x.dims...), x)
	col := n.pointwiseAxis(modeIndex, typeFloat32, 3, n.between(typeInt32, x.dims...), x)
	sees := n.pointwise(modeGE, typeBoolean, n.between(typeBoolean, x.dims...), row, col)
	return n.pointwise(modeSelect, typeFloat32, n.between(typeFloat32, x.dims...), x, low, sees)
}

func (a Attention) describe(n *net) {
	if a.Backward {
		a.describeBackward(n)
		return
	}
	t := dataTypes[a.DType]
	b, h, l, s, f := int64(a.Q.At(0)), int64(a.Q.At(1)), int64(a.Q.At(2)), int64(a.K.At(2)), int64(a.V.At(3))
	q := n.tensor(t, inMemory, wide(a.Q), wide(a.QStrides))
	kt := n.tensor(t, inMemory, swapped(wide(a.K)), swapped(wide(a.KStrides)))
	v := n.tensor(t, inMemory, wide(a.V), wide(a.VStrides))
	out := []int64{b, h, l, f}
	y := n.tensor(t, inMemory, out, wide(a.YStrides))
	rows := []int64{b, h, l, 1}
	lse := n.tensor(typeFloat32, inMemory, rows, rowMajor(rows))
	scale, low := n.number(), tensor{}
	if a.Causal {
		low = n.number()
	}
	x := a.scores(n, q, kt, scale)
	if a.Causal {
		x = a.masked(n, x, low)
	}
	each := func(t dataType) tensor { return n.between(t, b, h, l, s) }
	row := func() tensor { return n.between(typeFloat32, rows...) }
	top := n.reduce(reduceMax, row(), x)
	x = n.pointwise(modeSub, typeFloat32, each(typeFloat32), x, top)
	x = n.pointwise(modeExp, typeFloat32, each(typeFloat32), x)
	sum := n.reduce(reduceAdd, row(), x)
	log := n.pointwise(modeLog, typeFloat32, row(), sum)
	n.pointwise(modeAdd, typeFloat32, lse, top, log)
	x = n.pointwise(modeDiv, typeFloat32, each(t), x, sum)
	n.matmul(y, x, v)
}

// describeBackward is the gradient. It computes the row sums of result times cotangent itself.
func (a Attention) describeBackward(n *net) {
	t := dataTypes[a.DType]
	b, h, l, s := int64(a.Q.At(0)), int64(a.Q.At(1)), int64(a.Q.At(2)), int64(a.K.At(2))
	e, f, g := int64(a.Q.At(3)), int64(a.V.At(3)), int64(a.K.At(1))
	kd, ks := wide(a.K), wide(a.KStrides)
	q := n.tensor(t, inMemory, wide(a.Q), wide(a.QStrides))
	kt := n.tensor(t, inMemory, swapped(kd), swapped(ks))
	vt := n.tensor(t, inMemory, swapped(wide(a.V)), swapped(wide(a.VStrides)))
	out, rows := []int64{b, h, l, f}, []int64{b, h, l, 1}
	dy := n.tensor(t, inMemory, out, wide(a.GStrides))
	y := n.tensor(t, inMemory, out, wide(a.YStrides))
	lse := n.tensor(typeFloat32, inMemory, rows, rowMajor(rows))
	sums := n.tensor(typeFloat32, inMemory, rows, rowMajor(rows))
	wideQ := n.tensor(typeFloat32, inMemory, wide(a.Q), rowMajor(wide(a.Q)))
	dq := n.tensor(t, inMemory, wide(a.Q), wide(a.To[0]))
	dk := n.tensor(t, inMemory, kd, wide(a.To[1]))
	dv := n.tensor(t, inMemory, wide(a.V), wide(a.To[2]))
	scale, one, low := n.number(), n.number(), tensor{}
	if a.Causal {
		low = n.number()
	}
	each := func() tensor { return n.between(typeFloat32, b, h, l, s) }

	x := n.pointwise(modeMul, typeFloat32, n.between(typeFloat32, out...), dy, y)
	x = n.reduce(reduceAdd, n.between(typeFloat32, rows...), x)
	n.pointwise(modeMul, typeFloat32, sums, x, one)

	x = a.scores(n, q, kt, scale)
	x = n.pointwise(modeSub, typeFloat32, each(), x, lse)
	if a.Causal {
		x = a.masked(n, x, low)
	}
	p := n.pointwise(modeExp, typeFloat32, each(), x)
	transposed := func() tensor { return n.tensor(t, virtual, []int64{b, h, s, l}, []int64{h * l * s, l * s, 1, s}) }
	// gathered adds to = m·x; queries that share keys are summed.
	gathered := func(to, m, x tensor, width int64) {
		if g == h {
			n.matmul(to, m, x)
			return
		}
		n.reduce(reduceAdd, to, n.matmul(n.between(t, b, h, s, width), m, x))
	}
	gathered(dv, n.view(transposed(), p), dy, f)

	x = n.matmul(each(), dy, vt)
	x = n.pointwise(modeSub, typeFloat32, each(), x, sums)
	x = n.pointwise(modeMul, typeFloat32, each(), x, p)
	ds := n.pointwise(modeMul, typeFloat32, each(), x, scale)
	gathered(dk, n.view(transposed(), ds), q, e)

	k := n.view(n.tensor(t, virtual, kd, ks), kt)
	n.matmul(wideQ, ds, k)
	n.pointwise(modeIdentity, typeFloat32, dq, wideQ)
}

// numbers allocates on the heap: C reads it, and a goroutine's stack may move.
//
//go:noinline
func numbers(v ...float32) []float32 { return append([]float32(nil), v...) }

// Attention runs an attention without a mask; it writes y and lse, the rows' logsumexp.
func (h *Handle) Attention(d *driver.Device, a Attention, scale float64, timing bool, space Space, q, k, v, y, lse uintptr) error {
	nums := numbers(float32(scale), lowest)
	list := []uintptr{q, k, v, y, lse, uintptr(unsafe.Pointer(&nums[0]))}
	if a.Causal {
		list = append(list, uintptr(unsafe.Pointer(&nums[1])))
	}
	err := run(h, d, a, timing, space, list)
	runtime.KeepAlive(nums)
	return err
}

// AttentionGrad runs the gradient of an attention: it writes dq, dk and dv, and sums, the row sums of y times its cotangent
// dy.
func (h *Handle) AttentionGrad(d *driver.Device, a Attention, scale float64, timing bool, space Space, q, k, v, dy, y, lse, sums, dq, dk,
	dv uintptr) error {
	a.Backward = true
	wide, err := space.Get("attention", 4*a.Q.At(0)*a.Q.At(1)*a.Q.At(2)*a.Q.At(3))
	if err != nil {
		return err
	}
	defer wide.Free()
	nums := numbers(float32(scale), 1, lowest)
	list := []uintptr{q, k, v, dy, y, lse, sums, wide.Dev, dq, dk, dv, uintptr(unsafe.Pointer(&nums[0])), uintptr(unsafe.Pointer(&nums[1]))}
	if a.Causal {
		list = append(list, uintptr(unsafe.Pointer(&nums[2])))
	}
	err = run(h, d, a, timing, space, list)
	runtime.KeepAlive(nums)
	return err
}
