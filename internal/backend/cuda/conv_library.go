package cuda

import (
	"fmt"
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/cublas"
	"github.com/lucid-go/lucid/internal/backend/cuda/cudnn"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// A convolution is one primitive here. cuDNN has three, with fast engines for each. A flipped kernel makes it a data
// gradient (or a transposed convolution); a kernel larger than the result makes it a weight gradient, with batch and
// channels swapped.

// worthConv is the number of FLOPs from which cuDNN is used: choosing an engine takes milliseconds.
const worthConv = 1e7

// convLibrary is a convolution in cuDNN's terms: x·w gives y, one of which is the result.
type convLibrary struct {
	d       *call
	k       cudnn.Conv
	x, w, y backend.View // (N, C, …), (O, C/groups, …), (N, O, …), perhaps with the groups in a dimension of their own
	bufs    []*mem.Buffer
}

// newConvLibrary maps a convolution to cuDNN's; ok is false if cuDNN does not support it.
func newConvLibrary(d *call, c attr.Conv, out, x, w backend.View) (*convLibrary, bool) {
	rank := c.Stride.Len()
	l := &convLibrary{d: d, k: cudnn.Conv{DType: out.DType, Deterministic: d.ctx.Deterministic, Winograd: c.Winograd,
		TF32: out.DType == dtype.Float32 && cublas.TF32.Load()}}
	ones := func(v attr.Ints) bool { return !slices.ContainsFunc(v.Slice(), func(k int) bool { return k != 1 }) }
	kernel, size := product(w.Shape.Dims()[2:]), product(out.Shape.Dims()[2:])
	low := slices.Clone(c.Low.Slice())
	switch {
	case c.Flip && ones(c.Stride):
		l.k.Way, l.k.Stride, l.k.Dilation = cudnn.ToInput, c.InputDilation, c.KernelDilation
		for i := range low {
			low[i] = (w.Shape.Dim(2+i)-1)*c.KernelDilation.At(i) - low[i]
		}
		l.x, l.y, l.w = out, x, swapFirst(w, c.Groups)
	case c.Flip || !ones(c.InputDilation):
		return nil, false
	case kernel > size:
		l.k.Way, l.k.Stride, l.k.Dilation = cudnn.ToWeight, c.KernelDilation, c.Stride
		l.y, l.w = swapFirst(w, 1), swapFirst(out, 1)
		if l.x = swapFirst(x, 1); c.Groups > 1 { // (C/groups, groups·N, …) to (N, groups, C/groups, …)
			st, n := x.Strides(), x.Shape.Dim(1)/c.Groups
			dims := slices.Concat([]int{n, c.Groups, x.Shape.Dim(0)}, x.Shape.Dims()[2:])
			l.x = part(x, shape.Of("conv", dims...), slices.Concat([]int{st[1], n * st[1], st[0]}, st[2:]), 0)
		}
	default:
		l.k.Stride, l.k.Dilation = c.Stride, c.KernelDilation
		l.x, l.w, l.y = x, w, out
	}
	// The high padding follows from the result's size: the same as the low one if possible.
	high := make([]int, rank)
	spatial := func(v backend.View, i int) int { return v.Shape.Dim(v.Shape.Rank() - rank + i) }
	for i := range high {
		reach := (spatial(l.w, i)-1)*l.k.Dilation.At(i) + 1
		least := (spatial(l.y, i)-1)*l.k.Stride.At(i) + reach - spatial(l.x, i) - low[i]
		high[i] = max(0, least)
		if low[i] > high[i] && low[i] < least+l.k.Stride.At(i) {
			high[i] = low[i]
		}
		if low[i] < 0 || high[i] >= least+l.k.Stride.At(i) || low[i] != high[i] {
			return nil, false // a crop; or unequal paddings, which some engines of cuDNN 9.14 compute wrongly
		}
	}
	l.k.Low, l.k.High = attr.MakeInts(low...), attr.MakeInts(high...)
	return l, true
}

// swapFirst swaps the first two dimensions within each group: (groups·i, o, …) becomes (groups, o, i, …).
func swapFirst(v backend.View, groups int) backend.View {
	st, s := v.Strides(), v.Shape.Dims()
	dims, to := slices.Concat([]int{s[1], s[0]}, s[2:]), slices.Concat([]int{st[1], st[0]}, st[2:])
	if groups > 1 {
		i := s[0] / groups
		dims, to = slices.Concat([]int{groups, s[1], i}, s[2:]), slices.Concat([]int{i * st[0], st[1], st[0]}, st[2:])
	}
	return part(v, shape.Of("conv", dims...), to, 0)
}

// packed returns dense strides of sizes (N, C, …), NHWC or NCHW.
func packed(dims []int, last bool) []int {
	order := make([]int, len(dims))
	for i := range order {
		order[i] = i
	}
	if last {
		order = append(append(order[:1:1], order[2:]...), 1)
	}
	st, n := make([]int, len(dims)), 1
	for i := len(order) - 1; i >= 0; i-- {
		st[order[i]] = n
		n *= dims[order[i]]
	}
	return st
}

// hasStrides reports whether a view has these strides; dimensions of size 1 do not matter.
func hasStrides(v backend.View, strides []int) bool {
	st := v.Strides()
	for i, n := range v.Shape.Dims() {
		if n != 1 && st[i] != strides[i] {
			return false
		}
	}
	return len(st) == len(strides)
}

// channelsLast reports whether a view is NHWC and not NCHW.
func (l *convLibrary) channelsLast(v backend.View) bool {
	s := v.Shape.Dims()
	return len(s) == l.k.Stride.Len()+2 && hasStrides(v, packed(s, true)) && !hasStrides(v, packed(s, false))
}

// joined returns the sizes of a view of a convolution, groups merged with the dimension behind them.
func joined(v backend.View, rank, groupAt int) []int {
	s := v.Shape.Dims()
	if len(s) == rank+2 {
		return s
	}
	return slices.Concat(s[:groupAt], []int{s[groupAt] * s[groupAt+1]}, s[groupAt+2:])
}

// operand is a tensor in a layout cuDNN takes.
type operand struct {
	view backend.View // of the caller
	tmp  backend.View // of the copy, if there is one
	at   uintptr
	dims []int
	lay  []int
}

// layOut brings a tensor to a layout: it is copied if it has another, or allocated if it is the result.
func (l *convLibrary) layOut(v backend.View, groupAt int, last, result bool) (operand, error) {
	rank := l.k.Stride.Len()
	p := operand{view: v, dims: joined(v, rank, groupAt), at: address(v)}
	p.lay = packed(p.dims, last)
	if v.Shape.Rank() == rank+2 && hasStrides(v, p.lay) && p.at%16 == 0 {
		return p, nil
	}
	st := p.lay
	if v.Shape.Rank() > rank+2 { // the groups' own dimension
		st = slices.Concat(st[:groupAt], []int{v.Shape.Dim(groupAt+1) * st[groupAt]}, st[groupAt:])
	}
	b, err := l.d.pool.Get("conv", v.Numel()*v.DType.Size())
	if err != nil {
		return p, err
	}
	l.bufs = append(l.bufs, b)
	p.tmp = backend.View{Buf: b, DType: v.DType, Shape: v.Shape, Lay: &shape.Layout{Strides: st}}
	p.at = b.Dev
	if result {
		return p, nil
	}
	return p, l.d.moveInOrder(p.tmp, v)
}

// run computes the result.
func (l *convLibrary) run(h *cudnn.Handle) error {
	defer func() {
		for _, b := range l.bufs {
			b.Free()
		}
	}()
	last := l.channelsLast(l.x) || l.channelsLast(l.y)
	result := map[cudnn.Way]int{cudnn.ToInput: 0, cudnn.ToWeight: 1, cudnn.Forward: 2}[l.k.Way]
	var p [3]operand
	for i, o := range []struct {
		v       backend.View
		groupAt int
	}{{l.x, 1}, {l.w, 0}, {l.y, 1}} {
		var err error
		if p[i], err = l.layOut(o.v, o.groupAt, last, i == result); err != nil {
			return err
		}
	}
	k := l.k
	k.X, k.XStrides = asTaken(p[0])
	k.W, k.WStrides = asTaken(p[1])
	k.Y, k.YStrides = asTaken(p[2])
	if k.Stride.Len() == 1 { // cuDNN takes two and three spatial dimensions
		k.Stride, k.Dilation = lead(k.Stride, 1), lead(k.Dilation, 1)
		k.Low, k.High = lead(k.Low, 0), lead(k.High, 0)
	}
	if err := h.Conv(l.d.Device.Device, k, l.d.mode == running, l.d.pool, p[0].at, p[1].at, p[2].at); err != nil {
		return err
	}
	if r := p[result]; r.tmp.Buf != nil {
		return l.d.moveInOrder(r.view, r.tmp)
	}
	return nil
}

// moveInOrder copies with the dimensions sorted as they are laid out in the result, so that a transpose is recognised as
// one.
func (d *Device) moveInOrder(to, from backend.View) error {
	order := make([]int, to.Shape.Rank())
	for i := range order {
		order[i] = i
	}
	st := to.Strides()
	slices.SortStableFunc(order, func(i, j int) int { return st[j] - st[i] })
	permute := func(v backend.View) backend.View {
		dims, strides := make([]int, len(order)), make([]int, len(order))
		for k, i := range order {
			dims[k], strides[k] = v.Shape.Dim(i), v.Strides()[i]
		}
		return part(v, shape.Of("conv", dims...), strides, 0)
	}
	return d.move(permute(to), permute(from))
}

// asTaken returns sizes and strides as cuDNN takes them: one spatial dimension becomes two.
func asTaken(p operand) (dims, strides attr.Ints) {
	d, st := p.dims, p.lay
	if len(d) == 3 {
		d = []int{d[0], d[1], 1, d[2]}
		st = packed(d, st[1] == 1 && d[1] != 1)
	}
	return attr.MakeInts(d...), attr.MakeInts(st...)
}

func lead(v attr.Ints, first int) attr.Ints {
	return attr.MakeInts(append([]int{first}, v.Slice()...)...)
}

// convByLibrary tries cuDNN; done reports whether it ran.
func (d *call) convByLibrary(c attr.Conv, out, x, w backend.View) (done bool, err error) {
	if !cudnn.Supports(out.DType) {
		return false, nil
	}
	if flops := 2 * float64(out.Numel()) * float64(product(w.Shape.Dims()[1:])); flops < worthConv && !d.dnnAlways {
		return false, nil
	}
	l, ok := newConvLibrary(d, c, out, x, w)
	if !ok {
		return false, nil
	}
	return d.library("conv", fmt.Sprint(l.k.Way, l.x.Shape, l.w.Shape, l.y.Shape), l.run)
}
