package exec

import (
	"slices"
	"sync/atomic"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/par"
)

// Positions are checked, and negative ones brought into range, by a launch of their own, since an error names the op that asked for it.
// Nearly always all of them are in range and none is negative: then the result is the input, which is looked at and not written again.

// checkedView is the value of a pending check of positions that are stored and all in range.
func checkedView(x *graph.Node) (backend.View, bool) {
	b, ok := x.Attr().(attr.Bound)
	if !ok || x.IsTuple() || x.NumIn() != 1 || x.Shape().Numel() > shortWork {
		return backend.View{}, false
	}
	v, ok := storedView(x.In(0))
	if !ok || v.Lay != nil || v.DType != dtype.Int64 || v.Buf.Mem == nil || !backend.AllWithin(backend.Slice[int64](v), int64(b.Size)) {
		return backend.View{}, false
	}
	return v, true
}

// inRange runs a step that is nothing but a check of positions, if all of them are in range: its result is its input then. A replay
// has its operands where they are, and a result that outlives the run needs memory of its own.
func (r *run) inRange(s *step) bool {
	f := s.fused
	if f == nil || len(f.Instrs) != 1 || s.sets > 0 || r.ready || r.prog.runs != nil || !s.dev.Host || r.errs != nil {
		return false
	}
	b, ok := f.Instrs[0].Attr.(attr.Bound)
	if !ok || f.Reduction != nil || f.Producer != nil || len(s.out) != 1 {
		return false
	}
	in, out := &s.in[0], &s.out[0]
	// Memory of a temporary, or of an input that is given up, is for others after this step.
	if int(in.buf) >= r.prog.numIn || slices.Contains(r.took, int(in.buf)) {
		return false
	}
	if in.lay != nil || in.dtype != dtype.Int64 || r.prog.bufs[out.buf].keep || r.bufs[in.buf].Mem == nil {
		return false
	}
	idx := backend.Slice[int64](backend.View{Buf: r.bufs[in.buf], DType: in.dtype, Shape: in.shape})
	const piece = 1 << 16
	var outside atomic.Bool
	err := par.For((len(idx)+piece-1)/piece, func(k int) {
		if !backend.AllWithin(idx[k*piece:min((k+1)*piece, len(idx))], int64(b.Size)) {
			outside.Store(true)
		}
	})
	if err != nil || outside.Load() {
		return false
	}
	r.bufs[out.buf] = r.bufs[in.buf]
	return true
}
