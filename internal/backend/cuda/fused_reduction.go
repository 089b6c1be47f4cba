package cuda

import (
	"fmt"
	"strings"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// Fused reductions. A program may end with column sums, such as the gradients of biases: 32 adjacent threads take vectors
// of a row, eight rows at a time, and accumulate in registers. Rows are split into chunks by sizes alone and combined in a
// fixed order. Or it ends with row sums, where rows are short: adjacent threads share a row and combine their sums by warp
// shuffles.

const (
	maxReductions = 3
	rowsAtOnce    = threads / 32
	leastRows     = 64   // of a chunk
	manyBlocks    = 1024 // fill any device
	leastFolded   = 1 << 18
)

// sumsRows reports whether a reduction is a sum over the last dimension, of rows that a few threads share.
func sumsRows(x attr.Axes, s *shape.Shape) bool {
	last := s.Rank() - 1
	n := s.Dim(last)
	return x.Axes == attr.MakeInts(last) && n >= 16 && n <= 256 && n&(n-1) == 0 && s.Numel() >= leastFolded
}

// canFuseReduction reports whether a reduction can end a program: a sum over all dimensions but the last, or over a short last one.
func canFuseReduction(op string, a attr.Attr, in dtype.DType, s *shape.Shape) bool {
	x, ok := a.(attr.Axes)
	last := s.Rank() - 1
	if ok && op == "sum" && in.IsFloat() && last >= 0 && sumsRows(x, s) {
		return true
	}
	if !ok || op != "sum" || !in.IsFloat() || last < 1 || s.Numel() < leastFolded || s.Dim(last) < 64 ||
		s.Numel()/s.Dim(last) < 4*leastRows || x.Axes.Contains(last) {
		return false
	}
	for i := range last {
		if !x.Axes.Contains(i) {
			return false
		}
	}
	return true
}

// fitReductions shortens vectors so that a row is a whole number of them.
func (f *form) fitReductions(t *backend.Reduction, s *shape.Shape) {
	f.vector = min(f.vector, 8)
	for s.Dim(s.Rank()-1)%f.vector != 0 {
		f.vector /= 2
	}
	if sumsRows(t.Attr.(attr.Axes), s) {
		f.cols = s.Dim(s.Rank() - 1)
	}
}

// rowLanes is how many threads share a row.
func (f *form) rowLanes() int { return min(32, f.cols/f.vector) }

// rowReductionSource is the kernel of a program that ends with row sums.
func rowReductionSource(p *program, f *form) string {
	var b strings.Builder
	w := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	b.WriteString(kernels.Source(filesOf(p)...))
	ns := writeArgs(w, p, f, fmt.Sprintf("i64 rows; void *reduced[%d];", p.NumReductions()))
	index, _ := f.indices()
	lanes := f.rowLanes()
	w("extern \"C\" __global__ void __launch_bounds__(%d) fused(const __grid_constant__ Args a) {", threads)
	w("const int V = %d, U = 1, lane = threadIdx.x %% %d;", f.vector, lanes)
	w("const i64 row = (i64)blockIdx.x * %d + threadIdx.x / %d;", threads/lanes, lanes)
	for i, t := 0, p.Reduction; t != nil; i, t = i+1, t.Next {
		w("%s t%d = 0;", sumType(p, t), i)
	}
	w("if (row < a.rows)\n#pragma unroll\nfor (int k = 0; k < %d; k++) {", f.cols/(f.vector*lanes))
	w("const %s e = (%s)(row * %d + (k * %d + lane) * V);", index, index, f.cols, lanes)
	writeVector(w, p, f, ns, "t%d += %s;")
	w("}")
	w("#pragma unroll\nfor (int m = %d; m > 0; m /= 2) {", lanes/2)
	for i := range p.NumReductions() {
		w("t%d += __shfl_xor_sync(~0u, t%d, m);", i, i)
	}
	w("}\nif (lane != 0 || row >= a.rows) return;")
	for i, t := 0, p.Reduction; t != nil; i, t = i+1, t.Next {
		out := ctype[p.DTypes[t.Src]]
		w("((%s *)a.reduced[%d])[row] = Put<%s>::put(t%d);", out, i, out, i)
	}
	w("}")
	return b.String()
}

// writeVector writes the program on the vector of elements from e on; the line add accumulates each of them.
func writeVector(w func(string, ...any), p *program, f *form, ns int, add string) {
	if index, offset := f.indices(); ns > 0 {
		writeOffsets(w, len(f.dims), ns, index, offset)
	}
	w("const int S = 0;")
	names := writeLoads(w, p, f)
	w("const int u = 0; const i64 left = V;")
	writeBody(w, p, names, add)
}

// columnReductionSource is the kernel of a program that ends with column sums.
func columnReductionSource(p *program, f *form) string {
	var b strings.Builder
	w := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	b.WriteString(kernels.Source(filesOf(p)...))
	ns := writeArgs(w, p, f, fmt.Sprintf("i64 rows, cols, chunk, chunks; char *part; void *reduced[%d];", p.NumReductions()))
	index, _ := f.indices()
	w("extern \"C\" __global__ void __launch_bounds__(%d) fused(const __grid_constant__ Args a) {", threads)
	w("const int V = %d, U = 1, lane = threadIdx.x %% 32, warp = threadIdx.x / 32;", f.vector)
	w("const i64 col = ((i64)blockIdx.x * 32 + lane) * V, lo = blockIdx.y * a.chunk, hi = min(lo + a.chunk, a.rows);")
	for i, t := 0, p.Reduction; t != nil; i, t = i+1, t.Next {
		w("%s t%d[V] = {};", sumType(p, t), i)
	}
	w("if (col < a.cols) for (i64 row = lo + warp; row < hi; row += %d) {", rowsAtOnce)
	w("const %s e = (%s)(row * a.cols + col);", index, index)
	writeVector(w, p, f, ns, "t%d[j] += %s;")
	w("}")
	for i, t := 0, p.Reduction; t != nil; i, t = i+1, t.Next {
		a, out := sumType(p, t), ctype[p.DTypes[t.Src]]
		w("{ __shared__ %s share[%d][32 * V];", a, rowsAtOnce)
		w("#pragma unroll\nfor (int j = 0; j < V; j++) share[warp][lane * V + j] = t%d[j];\n__syncthreads();", i)
		w("for (int c = threadIdx.x; c < 32 * V; c += %d) {\nconst i64 at = (i64)blockIdx.x * (32 * V) + c;\n%s s = share[0][c];", threads,
			a)
		w("#pragma unroll\nfor (int k = 1; k < %d; k++) s += share[k][c];", rowsAtOnce)
		w("if (at < a.cols) {\nif (a.chunks == 1) ((%s *)a.reduced[%d])[at] = Put<%s>::put(s);", out, i, out)
		w("else ((%s *)(a.part + %d * a.chunks * a.cols * 8))[blockIdx.y * a.cols + at] = s;\n} } }", a, i)
	}
	w("}")
	return b.String()
}

// sumType is the accumulator type of a fused reduction.
func sumType(p *program, t *backend.Reduction) string {
	if p.DTypes[t.Src] == dtype.Float64 {
		return "double"
	}
	return "float"
}

// finishSource is the kernel that combines the chunks' sums, eight at a time.
func finishSource(p *program) string {
	var b strings.Builder
	w := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	b.WriteString(kernels.Source("prelude"))
	w("struct Args { i64 cols, chunks; const char *part; void *reduced[%d]; };", p.NumReductions())
	w("template <class A, class OUT> DEV void finish(const Args &a, const A *part, OUT *out) {")
	w("const int lane = threadIdx.x %% 32, warp = threadIdx.x / 32;\nconst i64 at = (i64)blockIdx.x * 32 + lane;\n__shared__ A "+
		"share[%d][32];\nA s = 0;", rowsAtOnce)
	w("if (at < a.cols)\n#pragma unroll 4\nfor (i64 k = warp; k < a.chunks; k += %d) s += part[k * a.cols + at];", rowsAtOnce)
	w("share[warp][lane] = s;\n__syncthreads();\nif (warp != 0 || at >= a.cols) return;")
	w("#pragma unroll\nfor (int k = 1; k < %d; k++) s += share[k][lane];\nout[at] = Put<OUT>::put(s);\n}", rowsAtOnce)
	w("extern \"C\" __global__ void __launch_bounds__(%d) finish_reductions(const __grid_constant__ Args a) {", threads)
	for i, t := 0, p.Reduction; t != nil; i, t = i+1, t.Next {
		a, out := sumType(p, t), ctype[p.DTypes[t.Src]]
		w("if (blockIdx.y == %d) finish<%s, %s>(a, (const %s *)(a.part + %d * a.chunks * a.cols * 8), (%s *)a.reduced[%d]);", i,
			a, out, a, i, out, i)
	}
	w("}")
	return b.String()
}

// launchReductions launches a program with fused reductions, whose results are the last outputs.
func (d *Device) launchReductions(fn *driver.Function, q *program, f *form, s *shape.Shape, record uintptr, in, out []backend.View) error {
	cols, count := s.Dim(s.Rank()-1), q.NumReductions()
	height := s.Numel() / cols
	if f.cols > 0 {
		a := fusedArgs(nil, s.Numel(), record, 0, f, in, out[:len(q.Out)])
		a.int(height)
		for _, v := range out[len(q.Out):] {
			a.ptr(address(v))
		}
		return d.launch(fn, blocks(height, threads/f.rowLanes()), 1, threads, a)
	}
	across := blocks(cols, 32*f.vector)
	chunk := blocks(height, max(1, min(manyBlocks/across, height/leastRows)))
	chunks := blocks(height, chunk)
	a := fusedArgs(nil, s.Numel(), record, 0, f, in, out[:len(q.Out)])
	a.int(height, cols, chunk, chunks)
	part := uintptr(0)
	if chunks > 1 {
		b, err := d.pool.Get("sum", count*chunks*cols*8)
		if err != nil {
			return err
		}
		defer b.Free()
		part = b.Dev
	}
	a.ptr(part)
	var results args
	for _, v := range out[len(q.Out):] {
		results.ptr(address(v))
	}
	if err := d.launch(fn, across, chunks, threads, append(a, results...)); err != nil || chunks == 1 {
		return err
	}
	types := ""
	for t := q.Reduction; t != nil; t = t.Next {
		types += " " + ctype[q.DTypes[t.Src]]
	}
	finish, err := d.kernel("finish_reductions"+types, "finish_reductions", func() string { return finishSource(q) })
	if err != nil {
		return err
	}
	var g args
	g.int(cols, chunks)
	g.ptr(part)
	return d.launch(finish, blocks(cols, 32), count, threads, append(g, results...))
}
