package cudnn

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Way is which of its three tensors a convolution computes from the others.
type Way uint8

// The ways.
const (
	Forward  Way = iota // Y from X and W
	ToInput             // the cotangent of X from W and that of Y
	ToWeight            // the cotangent of W from X and that of Y
)

// String names the way.
func (w Way) String() string { return wayNames[w] }

var wayNames = [...]string{"convolution", "gradient to the input of a convolution", "gradient to the weight of a convolution"}

// Conv is a kind of convolution: X is (N, C, …), W (O, C/groups, …) and Y (N, O, …), with two or three dimensions behind.
// Strides are in elements. Y at y reads, for tap k, X at y·Stride + k·Dilation - Low.
type Conv struct {
	Way                          Way
	DType                        dtype.DType
	X, W, Y                      attr.Ints // sizes
	XStrides, WStrides, YStrides attr.Ints
	Stride, Low, High, Dilation  attr.Ints
	Flip                         bool // the kernel is flipped
	Deterministic                bool // no engine is chosen by timing
	TF32                         bool
	Winograd                     bool // allow Winograd: fewer products, less accuracy
}

// String names the convolution.
func (c Conv) String() string {
	return fmt.Sprintf("%s of %v, input %v by %v, kernel %v by %v, result %v by %v, stride %v, padding %v and %v, dilation %v",
		wayNames[c.Way], c.DType,
		c.X, c.XStrides, c.W, c.WStrides, c.Y, c.YStrides, c.Stride, c.Low, c.High, c.Dilation)
}

// Supports reports whether convolutions of a dtype can be made.
func Supports(d dtype.DType) bool { _, ok := dataTypes[d]; return ok }

// The attributes of a convolution; those of the three operations.
const (
	attrConvType, attrConvMode, attrConvDilation, attrConvStride = 100, 101, 102, 103
	attrConvHigh, attrConvLow, attrConvDims                      = 104, 105, 106
)

var convOps = [...]struct{ kind, alpha, beta, desc, w, x, y uintptr }{
	Forward:  {kindConvForward, 700, 701, 702, 703, 704, 705},
	ToInput:  {kindConvData, 706, 707, 708, 709, 710, 711},
	ToWeight: {kindConvWeight, 712, 713, 714, 715, 716, 717},
}

func wide(v attr.Ints) []int64 {
	w := make([]int64, v.Len())
	for i := range w {
		w[i] = int64(v.At(i))
	}
	return w
}

func (c Conv) describe(n *net) {
	t := dataTypes[c.DType]
	d := n.desc(kindConvolution)
	n.enum(d, attrConvType, typeDataType, int32(t.sums()))
	mode := int32(1) // cross-correlation
	if c.Flip {
		mode = 0
	}
	n.enum(d, attrConvMode, typeConvMode, mode)
	n.ints(d, attrConvDims, int64(c.Stride.Len()))
	n.ints(d, attrConvLow, wide(c.Low)...)
	n.ints(d, attrConvHigh, wide(c.High)...)
	n.ints(d, attrConvDilation, wide(c.Dilation)...)
	n.ints(d, attrConvStride, wide(c.Stride)...)
	n.finish(d, "a convolution")
	x := n.tensor(t, inMemory, wide(c.X), wide(c.XStrides))
	w := n.tensor(t, inMemory, wide(c.W), wide(c.WStrides))
	y := n.tensor(t, inMemory, wide(c.Y), wide(c.YStrides))
	a := convOps[c.Way]
	o := n.op(a.kind, a.desc, d, map[uintptr]tensor{a.x: x, a.w: w, a.y: y})
	if t == typeFloat64 {
		one, zero := 1.0, 0.0
		n.set(o, a.alpha, typeDouble, 1, unsafe.Pointer(&one))
		n.set(o, a.beta, typeDouble, 1, unsafe.Pointer(&zero))
	} else {
		one, zero := float32(1), float32(0)
		n.set(o, a.alpha, typeFloat, 1, unsafe.Pointer(&one))
		n.set(o, a.beta, typeFloat, 1, unsafe.Pointer(&zero))
	}
	n.finish(o, "its operation")
}

// allows rejects engines that lose more accuracy than the dtype does, or that are not deterministic where they must be.
func (c Conv) allows(notes []note) bool {
	has := func(list ...note) bool {
		return slices.ContainsFunc(list, func(k note) bool { return slices.Contains(notes, k) })
	}
	switch {
	case has(noteNondeterministic, noteReducedSums): // sums in any order imply sums in the result's dtype, too
		return false
	case !c.Winograd && has(noteWinograd, noteWinograd4, noteWinograd6, noteWinograd13, noteFFT):
		return false
	case c.DType == dtype.Float32 && !c.TF32 && has(noteTensorCore, noteDownConvert):
		return false
	}
	return true
}

// worthwhile is the number of FLOPs from which engines are timed.
const worthwhile = 2e8

func (c Conv) tunes() bool {
	flops := 2.0
	for i := range c.Y.Len() {
		flops *= float64(c.Y.At(i))
	}
	for i := 1; i < c.W.Len(); i++ {
		flops *= float64(c.W.At(i))
	}
	return !c.Deterministic && flops >= worthwhile
}

// Conv runs a convolution: the tensor that its Way names is written, the others are read.
func (h *Handle) Conv(d *driver.Device, c Conv, timing bool, space Space, x, w, y uintptr) error {
	return run(h, d, c, timing, space, []uintptr{x, w, y})
}
