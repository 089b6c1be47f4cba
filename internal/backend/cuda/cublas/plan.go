package cublas

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/backend/cuda/nvrtc"
	"github.com/lucid-go/lucid/internal/dl"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// algorithm is cublasLtMatmulAlgo_t.
type algorithm [8]uint64

// candidate is cublasLtMatmulHeuristicResult_t.
type candidate struct {
	algo      algorithm
	workspace uint64
	state     uint32
	waves     float32
	_         [4]int32
}

// plan is a prepared product: descriptors and an algorithm. Plans are cached.
type plan struct {
	desc, x, y, z uintptr
	algo          algorithm
	scale         [4]float64 // one, then zero, in the compute type
	mu            sync.Mutex // held while it is submitted
	unsupported   bool
	epilogueAt    [2]uintptr // addresses of the bias and of the auxiliary matrix
}

// point sets the addresses of the epilogue's operands in the descriptor.
func (l *plan) point(o Operands) uintptr {
	l.epilogueAt = [2]uintptr{o.Bias, o.Aux}
	for i, attr := range []uintptr{descBias, descAux} {
		if l.epilogueAt[i] == 0 {
			continue
		}
		if s := dl.Call(fn.descSet, l.desc, attr, uintptr(unsafe.Pointer(&l.epilogueAt[i])), 8); s != 0 {
			return s
		}
	}
	return 0
}

// number is an epilogue as cublasLt.h numbers it.
func (e Epilogue) number() (n int) {
	const plain, bias, biasGrad, gelu, dgelu, aux = 1, 4, 16, 32, 64, 128
	if e.DGelu {
		n |= dgelu | aux
	}
	if e.BiasGrad {
		n |= biasGrad
	}
	if e.Gelu {
		n |= gelu
	}
	if e.Aux {
		n |= aux
	}
	if e.Bias {
		n |= bias
	}
	return max(n, plain)
}

// The attributes that are set, as cublasLt.h numbers them.
const (
	descTransA, descTransB      = 3, 4
	descEpilogue, descBias      = 7, 8
	descAux, descAuxLead        = 11, 12
	layoutBatches, layoutOffset = 5, 6
	prefWorkspace, prefSchemes  = 1, 3
	prefAlignA                  = 5 // then B, C, D

	sumInComputeType = 2 // split-K partial sums may be added in the compute type, not in the output's type
	anyScheme        = 7

	candidates = 16
	slower     = "slower" // cached for an epilogue that does not pay
	worthwhile = 2e8      // FLOPs from which algorithms are timed
)

// plan makes the descriptors and chooses an algorithm.
func (h *Handle) plan(p Product, timing bool, o Operands) (l *plan, err error) {
	l = &plan{}
	switch p.DType {
	case dtype.Float64, dtype.Complex128:
		l.scale[0] = 1
	default:
		*(*float32)(unsafe.Pointer(&l.scale)) = 1
	}
	compute := computes[p.DType]
	if p.TF32 {
		compute = computeTF32
	}
	call := func(doing string, f func() uintptr) {
		if err == nil {
			if s := h.d.With(f); s != 0 {
				err = failed(s, doing)
			}
		}
	}
	set := func(set, of, attr uintptr, v *uint64, size uintptr) {
		call(fmt.Sprintf("setting attribute %d", attr), func() uintptr { return dl.Call(set, of, attr, uintptr(unsafe.Pointer(v)), size) })
	}
	number := func(v int) *uint64 { n := uint64(v); return &n }
	call("describing a product", func() uintptr {
		return dl.Call(fn.descCreate, uintptr(unsafe.Pointer(&l.desc)), compute, scales[p.DType])
	})
	layout := func(to *uintptr, t dtype.DType, rows, cols, lead, batch int) {
		call("describing a matrix", func() uintptr {
			return dl.Call(fn.layoutCreate, uintptr(unsafe.Pointer(to)), types[t], uintptr(rows), uintptr(cols), uintptr(lead))
		})
		if p.Batch > 1 {
			set(fn.layoutSet, *to, layoutBatches, number(p.Batch), 4)
			set(fn.layoutSet, *to, layoutOffset, number(batch), 8)
		}
	}
	operand := func(to *uintptr, m Matrix, rows, cols int, attr uintptr) {
		if m.Column == 1 {
			layout(to, p.DType, cols, rows, m.Row, m.Batch)
		} else {
			layout(to, p.DType, rows, cols, m.Column, m.Batch)
			set(fn.descSet, l.desc, attr, number(1), 4)
		}
	}
	operand(&l.y, p.Y, p.K, p.N, descTransA)
	operand(&l.x, p.X, p.M, p.K, descTransB)
	made := p.DType
	if p.Wide {
		made = dtype.Float32
	}
	layout(&l.z, made, p.N, p.M, p.Pitch, p.M*p.Pitch)
	if p.Epilogue != (Epilogue{}) {
		set(fn.descSet, l.desc, descEpilogue, number(p.Epilogue.number()), 4)
		if p.Epilogue.Aux || p.Epilogue.DGelu {
			set(fn.descSet, l.desc, descAuxLead, number(p.Pitch), 8)
		}
		call("describing an epilogue", func() uintptr { return l.point(o) })
	}
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("gemm 4\x00%d\x00%d\x00%s\x00%#v", Version, driver.Version, h.d.Name, p)
	switch b, ok := nvrtc.Load(key); {
	case ok && len(b) == len(l.algo)*8:
		copy(dtype.Bytes(l.algo[:]), b)
		h.Cached.Add(1)
		return l, nil
	case ok && string(b) == slower:
		h.Cached.Add(1)
		return nil, errSlower
	}
	list, err := h.candidates(l, p)
	if err != nil {
		return nil, err
	}
	l.algo = list[0].algo
	if timing && !p.Deterministic && len(list) > 1 && 2*float64(p.Batch)*float64(p.M)*float64(p.N)*float64(p.K) >= worthwhile {
		if err := h.tune(l, list, p, o); err != nil {
			return nil, err
		}
		h.Tuned.Add(1)
		if p.Epilogue.DGelu {
			if pays, err := h.dgeluPays(l, p, o); err != nil || !pays {
				if err == nil {
					nvrtc.Store(key, []byte(slower))
				}
				return nil, errSlower
			}
		}
		nvrtc.Store(key, dtype.Bytes(l.algo[:]))
	} else if p.Epilogue.DGelu { // not without timing
		return nil, errSlower
	}
	return l, nil
}

// candidates asks the library's heuristic for algorithms, the best guess first.
func (h *Handle) candidates(l *plan, p Product) ([]candidate, error) {
	pref, n := new(uintptr), new(int32)
	list := make([]candidate, candidates)
	var s uintptr
	for _, schemes := range []uint64{sumInComputeType, anyScheme} {
		s = h.d.With(func() uintptr {
			if s := dl.Call(fn.prefCreate, uintptr(unsafe.Pointer(pref))); s != 0 {
				return s
			}
			for i, v := range []uint64{prefWorkspace: workspace, prefSchemes: schemes, prefAlignA: uint64(p.Align[2]),
				prefAlignA + 1: uint64(p.Align[1]),
				prefAlignA + 2: uint64(p.Align[0]), prefAlignA + 3: uint64(p.Align[0])} {
				size := uintptr(4)
				if i == prefWorkspace {
					size = 8
				}
				if v == 0 {
					continue
				}
				if s := dl.Call(fn.prefSet, *pref, uintptr(i), uintptr(unsafe.Pointer(&v)), size); s != 0 {
					return s
				}
			}
			return dl.Call(fn.heuristic, h.handle, l.desc, l.y, l.x, l.z, l.z, *pref, candidates, uintptr(unsafe.Pointer(&list[0])),
				uintptr(unsafe.Pointer(n)))
		})
		h.d.With(func() uintptr { return dl.Call(fn.prefDelete, *pref) })
		if s == 0 && *n > 0 && list[0].state == 0 {
			runtime.KeepAlive(list)
			return list[:*n], nil
		}
	}
	return nil, fault.New(fault.Device, "matmul", "cuBLASLt has no algorithm for %v: %s (%d)", p, dl.GoString(dl.Call(fn.statusName, s)), s)
}
