package cudnn

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/lucid-go/lucid/internal/dl"
	"github.com/lucid-go/lucid/internal/dtype"
)

// The kinds of descriptors, as cudnn_graph.h numbers them.
const (
	kindPointwise    = 0
	kindConvolution  = 1
	kindEngine       = 2
	kindEngineConfig = 3
	kindHeuristics   = 4
	kindPlan         = 5
	kindConvForward  = 10
	kindConvWeight   = 11
	kindConvData     = 12
	kindPointwiseOp  = 13
	kindGraph        = 15
	kindVariantPack  = 16
	kindTensor       = 17
	kindMatmul       = 18
	kindMatmulOp     = 19
	kindReduction    = 21
	kindReductionOp  = 22
	kindReshapeOp    = 31
)

// The types of attributes.
const (
	typeHandle     = 0
	typeDataType   = 1
	typeBool       = 2
	typeInt64      = 3
	typeFloat      = 4
	typeDouble     = 5
	typePointer    = 6
	typeConvMode   = 7
	typeHeurMode   = 8
	typeNote       = 11
	typePointwise  = 14
	typeDescriptor = 15
	typeReduction  = 18
	typeBehavior   = 19
	typeChar       = 24
)

// The attributes of tensors and of operations.
const (
	attrPointwiseMode, attrPointwisePrecision, attrPointwiseAxis = 0, 1, 9

	attrTensorAlign, attrTensorType, attrTensorDims, attrTensorStrides = 900, 901, 902, 903
	attrTensorID, attrTensorVirtual, attrTensorByValue                 = 906, 907, 908

	attrOpPointwise, attrOpPointwiseX, attrOpPointwiseB, attrOpPointwiseY, attrOpPointwiseT = 750, 751, 752, 753, 758

	attrMatmulType                                            = 1500
	attrOpMatmulA, attrOpMatmulB, attrOpMatmulC, attrOpMatmul = 1520, 1521, 1522, 1523
	attrReduction, attrReductionType                          = 1600, 1601
	attrOpReductionX, attrOpReductionY, attrOpReduction       = 1610, 1611, 1612
	attrOpReshapeX, attrOpReshapeY                            = 2200, 2201
)

// dataType is the library's number of an element type.
type dataType int32

const (
	typeFloat32 dataType = 0
	typeFloat64 dataType = 1
	typeFloat16 dataType = 2
	typeInt32   dataType = 4
	typeBF16    dataType = 9
	typeBoolean dataType = 11
)

var dataTypes = map[dtype.DType]dataType{dtype.Float32: typeFloat32, dtype.Float64: typeFloat64, dtype.Float16: typeFloat16,
	dtype.BFloat16: typeBF16}

// sums is the accumulator type of a type.
func (t dataType) sums() dataType {
	if t == typeFloat64 {
		return t
	}
	return typeFloat32
}

// tensor is a value of a net.
type tensor struct {
	desc uintptr
	id   int64
	typ  dataType
	dims []int64
}

// net describes work: operations and the tensors between them. The first error ends it; its descriptors are freed with it.
type net struct {
	what string // the work, in messages
	all  []uintptr
	ops  []uintptr
	ids  []int64 // of the tensors in memory, in the order they were made
	last int64
	err  error
	// device, if set, describes a device that need not exist: engines are chosen for it. Tests use it.
	device uintptr
}

func (n *net) call(doing string, f func() uintptr) bool {
	if n.err == nil {
		if s := uintptr(uint32(f())); s != 0 {
			n.err = failed(s, doing+" of "+n.what)
		}
	}
	return n.err == nil
}

// desc makes a descriptor.
func (n *net) desc(kind uintptr) uintptr {
	d := new(uintptr)
	if n.call(fmt.Sprintf("making descriptor %d", kind), func() uintptr {
		return dl.Call(fn.descCreate, kind, uintptr(unsafe.Pointer(d)))
	}) {
		n.all = append(n.all, *d)
	}
	return *d
}

// set sets an attribute of count elements.
func (n *net) set(d, attr, typ uintptr, count int, p unsafe.Pointer) {
	n.call(fmt.Sprintf("setting attribute %d", attr), func() uintptr {
		return dl.Call(fn.descSet, d, attr, typ, uintptr(count), uintptr(p))
	})
}

func (n *net) ints(d, attr uintptr, v ...int64) {
	n.set(d, attr, typeInt64, len(v), unsafe.Pointer(unsafe.SliceData(v)))
}
func (n *net) enum(d, attr, typ uintptr, v int32) { n.set(d, attr, typ, 1, unsafe.Pointer(&v)) }
func (n *net) flag(d, attr uintptr, v bool)       { n.set(d, attr, typeBool, 1, unsafe.Pointer(&v)) }
func (n *net) descs(d, attr uintptr, v ...uintptr) {
	n.set(d, attr, typeDescriptor, len(v), unsafe.Pointer(unsafe.SliceData(v)))
}

// finish finalises a descriptor.
func (n *net) finish(d uintptr, what string) {
	n.call("describing "+what, func() uintptr { return dl.Call(fn.descFinalize, d) })
}

// drop destroys a descriptor that nothing else uses.
func (n *net) drop(d uintptr) {
	if i := slices.Index(n.all, d); i >= 0 {
		n.all = slices.Delete(n.all, i, i+1)
		dl.Call(fn.descDestroy, d)
	}
}

// free destroys everything that was made.
func (n *net) free() {
	for i := len(n.all) - 1; i >= 0; i-- {
		dl.Call(fn.descDestroy, n.all[i])
	}
	n.all, n.ops = nil, nil
}

// Where a tensor is.
const (
	inMemory = iota
	virtual  // between operations only
	byValue  // a number in host memory
)

// tensor makes a tensor of these sizes and strides.
func (n *net) tensor(t dataType, how int, dims, strides []int64) tensor {
	n.last++
	d := n.desc(kindTensor)
	align := int64(16)
	if how == byValue {
		align = 4
	}
	n.enum(d, attrTensorType, typeDataType, int32(t))
	n.ints(d, attrTensorDims, dims...)
	n.ints(d, attrTensorStrides, strides...)
	n.ints(d, attrTensorID, n.last)
	n.ints(d, attrTensorAlign, align)
	switch how {
	case virtual:
		n.flag(d, attrTensorVirtual, true)
	case byValue:
		n.flag(d, attrTensorByValue, true)
	}
	n.finish(d, fmt.Sprintf("a tensor %v by %v", dims, strides))
	if how != virtual {
		n.ids = append(n.ids, n.last)
	}
	return tensor{d, n.last, t, dims}
}

// between makes a virtual tensor in row-major order.
func (n *net) between(t dataType, dims ...int64) tensor {
	return n.tensor(t, virtual, dims, rowMajor(dims))
}

func rowMajor(dims []int64) []int64 {
	st := make([]int64, len(dims))
	k := int64(1)
	for i := len(dims) - 1; i >= 0; i-- {
		st[i] = k
		k *= dims[i]
	}
	return st
}

// number makes a float32 that is passed by value.
func (n *net) number() tensor {
	one := []int64{1, 1, 1, 1}
	return n.tensor(typeFloat32, byValue, one, one)
}

// op adds an operation whose tensors are attributes; desc is the descriptor of its kind, if it has one.
func (n *net) op(kind, descAttr, desc uintptr, tensors map[uintptr]tensor) uintptr {
	o := n.desc(kind)
	if desc != 0 {
		n.descs(o, descAttr, desc)
	}
	for a, t := range tensors {
		n.descs(o, a, t.desc)
	}
	n.ops = append(n.ops, o)
	return o
}

// The modes of pointwise operations and reductions that are used.
const (
	modeAdd, modeMul, modeDiv, modeSub = 0, 1, 6, 9
	modeExp, modeLog, modeIdentity     = 13, 15, 21
	modeGE, modeIndex, modeSelect      = 303, 501, 601
	reduceAdd, reduceMax               = 0, 3
)

// pointwise adds y = mode(x, b, t) computed in type t; b and t are optional.
func (n *net) pointwise(mode int32, in dataType, y tensor, x ...tensor) tensor {
	return n.pointwiseAxis(mode, in, -1, y, x...)
}

func (n *net) pointwiseAxis(mode int32, in dataType, axis int64, y tensor, x ...tensor) tensor {
	d := n.desc(kindPointwise)
	n.enum(d, attrPointwiseMode, typePointwise, mode)
	n.enum(d, attrPointwisePrecision, typeDataType, int32(in))
	if axis >= 0 {
		n.ints(d, attrPointwiseAxis, axis)
	}
	n.finish(d, "a pointwise function")
	list := map[uintptr]tensor{attrOpPointwiseY: y}
	for i, v := range x {
		list[[]uintptr{attrOpPointwiseX, attrOpPointwiseB, attrOpPointwiseT}[i]] = v
	}
	n.finish(n.op(kindPointwiseOp, attrOpPointwise, d, list), "a pointwise operation")
	return y
}

// reduce adds y = x reduced to y's sizes.
func (n *net) reduce(operator int32, y, x tensor) tensor {
	d := n.desc(kindReduction)
	n.enum(d, attrReductionType, typeDataType, int32(typeFloat32))
	n.enum(d, attrReduction, typeReduction, operator)
	n.finish(d, "a reduction")
	n.finish(n.op(kindReductionOp, attrOpReduction, d, map[uintptr]tensor{attrOpReductionX: x, attrOpReductionY: y}),
		"a reduction's operation")
	return y
}

// matmul adds c = a·b for batches of matrices.
func (n *net) matmul(c, a, b tensor) tensor {
	d := n.desc(kindMatmul)
	n.enum(d, attrMatmulType, typeDataType, int32(typeFloat32))
	n.finish(d, "a product")
	n.finish(n.op(kindMatmulOp, attrOpMatmul, d, map[uintptr]tensor{attrOpMatmulA: a, attrOpMatmulB: b, attrOpMatmulC: c}),
		"a product's operation")
	return c
}

// view adds y, which shows x with other sizes and strides.
func (n *net) view(y, x tensor) tensor {
	n.finish(n.op(kindReshapeOp, 0, 0, map[uintptr]tensor{attrOpReshapeX: x, attrOpReshapeY: y}), "a view")
	return y
}
