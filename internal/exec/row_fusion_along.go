package exec

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
)

// alongRows reports whether a launch is an op along rows, which are the last dimensions of what it reads and writes.
func alongRows(s *step) (rows, long int, ok bool) {
	a, is := s.attr.(attr.Axis)
	if !is || s.fused != nil || s.dev.RowFuser == nil || len(s.out) != 1 || s.out[0].lay != nil {
		return 0, 0, false
	}
	sh := s.out[0].shape
	for _, o := range s.in {
		if o.dtype != s.out[0].dtype || !o.shape.Equal(sh) || !o.lay.IsContiguous(o.shape) {
			return 0, 0, false
		}
	}
	for i := a.Axis + 1; i < sh.Rank(); i++ {
		if sh.Dim(i) != 1 {
			return 0, 0, false
		}
	}
	if long = sh.Dim(a.Axis); long < 2 || sh.Numel() == 0 {
		return 0, 0, false
	}
	return sh.Numel() / long, long, s.dev.CanRunAlongRows(s.op, s.out[0].dtype, long)
}

// alongProgram writes a launch of an op along rows as a program of one instruction.
func alongProgram(s *step) *backend.Fused {
	n := len(s.in)
	f := &backend.Fused{Shape: s.out[0].shape, In: n, Out: []int{n}}
	ins := backend.Instr{Op: s.op, Attr: s.attr, Dst: n, Src: [3]int{-1, -1, -1}}
	for i, o := range s.in {
		ins.Src[i] = i
		f.DTypes = append(f.DTypes, o.dtype)
	}
	f.DTypes, f.Instrs = append(f.DTypes, s.out[0].dtype), []backend.Instr{ins}
	return f
}
