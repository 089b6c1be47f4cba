package cuda

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
)

// fusedSource is the kernel of a program for the layouts of f, or for up to `many` sets of them.
func fusedSource(p *program, f *form, many int) string {
	var b strings.Builder
	w := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	b.WriteString(kernels.Source(append(filesOf(p), f.rng.files()...)...))
	more := f.rng.fields()
	if f.stored != nil {
		more += "void *slot; i64 inner;"
	}
	nd, ns := len(f.dims), writeArgs(w, p, f, more)
	index, offset := f.indices()
	switch {
	case f.stored != nil:
		f.stored.writeStored(w, many)
	case many > 0:
		writeHorizontal(w, many)
	default:
		w("extern \"C\" __global__ void __launch_bounds__(%d) fused(const __grid_constant__ Args a) {\nconst u32 block = blockIdx.x;",
			threads)
	}
	w("const int V = %d, U = %d;", f.vector, f.vectorsPerThread(p))
	w("const %s S = %s;", index, f.apart()) // distance between the vectors of a thread
	if f.pairs() {
		w("const %s e = ((%s)block * %du + threadIdx.x) * V;", index, index, threads)
		w("if (e >= S) return;")
	} else if f.looping(p) {
		w("%s e = (%s)block * (%s)a.span + threadIdx.x * V;", index, index, index)
		w("const %s end = min((%s)a.n, (%s)(block + 1) * (%s)a.span);", index, index, index, index)
		w("if (e >= end) return;")
	} else {
		w("const %s e = ((%s)block * %du * U + threadIdx.x) * V;", index, index, threads)
		w("if (e >= (%s)a.n) return;", index)
	}
	if ns > 0 {
		writeOffsets(w, nd, ns, index, offset)
	}
	names := writeLoads(w, p, f)
	if f.looping(p) {
		writePrefetch(w, p, f, index)
	}
	w("#pragma unroll\nfor (int u = 0; u < U; u++) {\nconst i64 left = a.n - (i64)e - (i64)(u * S);")
	writeBody(w, p, names, "")
	if f.stored != nil {
		writeStore(w, p, index)
	}
	w("}")
	if f.looping(p) {
		w("if (!more) break;\ne = next;")
		for i, c := range f.classes {
			if c == aligned || c == unaligned {
				w("#pragma unroll\nfor (int j = 0; j < V; j++) r%d[0][j] = n%d[0][j];", i, i)
			}
		}
		w("}")
	}
	w("}")
	return b.String()
}

// indices are the types of an element's index and of its offset in memory.
func (f *form) indices() (index, offset string) {
	if f.wide {
		return "u64", "i64"
	}
	return "u32", "i32"
}

// writeArgs declares the struct that fusedArgs fills, with more fields at its end. It returns how many inputs have offsets
// of their own.
func writeArgs(w func(string, ...any), p *program, f *form, more string) (ns int) {
	nd, np, ni := len(f.dims), 0, 0
	for _, c := range f.classes {
		switch c {
		case byValue:
			ni++
			continue
		case rows, across, strided:
			ns++
		}
		np++
	}
	w("struct Args { i64 n; Fault *fault; i64 span;")
	if ns > 0 {
		w("i64 dims[%d]; i64 strides[%d][%d];", nd, ns, nd)
	}
	if np > 0 {
		w("const void *in[%d];", np)
	}
	if ni > 0 {
		w("u64 imm[%d][2];", ni)
	}
	if len(p.Out) > 0 {
		w("void *out[%d];", len(p.Out))
	}
	w("%s };", more)
	return ns
}

// writeBody takes a vector through the instructions and stores it; fold is written for every fused reduction, with its
// number and the value it reads.
func writeBody(w func(string, ...any), p *program, names []string, fold string) {
	for i, o := range p.Out {
		w("Rep<%s>::R o%d[V];", ctype[p.DTypes[o]], i)
	}
	w("#pragma unroll\nfor (int j = 0; j < V; j++) {")
	for _, ins := range p.Instrs {
		var x []string
		for _, s := range ins.Src {
			if s >= 0 {
				x = append(x, names[s])
			}
		}
		to := ctype[p.DTypes[ins.Dst]]
		names[ins.Dst] = fmt.Sprintf("v%d", ins.Dst)
		w("const Rep<%s>::R v%d = rounded<%s>(%s);", to, ins.Dst, to, expression(ins, p.DTypes[ins.Dst], operandType(p, ins.Src), x))
	}
	for i, o := range p.Out {
		w("o%d[j] = %s;", i, names[o])
	}
	for i, t := 0, p.Reduction; fold != "" && t != nil; i, t = i+1, t.Next {
		w(fold, i, names[t.Src])
	}
	w("}")
	for i, o := range p.Out {
		m := ctype[p.DTypes[o]]
		w("store_vec<%s, V>((%s *)a.out[%d] + e + u * S, o%d, left);", m, m, i, i)
	}
}

// writePrefetch begins the loop of a compute-bound kernel: the next vectors are loaded while it computes.
func writePrefetch(w func(string, ...any), p *program, f *form, index string) {
	ptr := 0
	w("for (;;) {\nconst %s next = e + %d * V;\nconst bool more = next < end;", index, threads)
	for i, c := range f.classes {
		m := ctype[p.DTypes[i]]
		switch c {
		case byValue:
			continue
		case aligned:
			w("Rep<%s>::R n%d[1][V];\nif (more) load_vec<%s, V>(n%d[0], (const %s *)a.in[%d] + next, a.n - (i64)next);", m, i, m, i, m, ptr)
		case unaligned:
			w("Rep<%s>::R n%d[1][V];\nif (more) load_each<%s, V>(n%d[0], (const %s *)a.in[%d] + next, 1, a.n - (i64)next);",
				m, i, m, i, m, ptr)
		}
		ptr++
	}
}

// filesOf lists the sources a program needs: those of functions are a third of the compile time.
func filesOf(p *program) []string {
	files := []string{"prelude", "elementwise"}
	for _, f := range []struct {
		name    string
		complex bool // needed for complex operands alone
	}{{"functions", false}, {"special", false}, {"incomplete", false}, {"complex", true}} {
		if slices.ContainsFunc(p.Instrs, func(i backend.Instr) bool {
			return f.complex == operandType(p, i.Src).IsComplex() && written()[f.name][i.Op]
		}) {
			for _, need := range append(sourceUses[f.name], f.name) {
				if !slices.Contains(files, need) {
					files = append(files, need)
				}
			}
		}
	}
	return files
}

// sourceUses lists the files whose functions a file calls.
var sourceUses = map[string][]string{"special": {"functions"}, "incomplete": {"functions", "special"}}

// written lists the ops each file implements.
var written = sync.OnceValue(func() map[string]map[string]bool {
	files := map[string]map[string]bool{}
	for _, name := range []string{"functions", "special", "incomplete", "complex"} {
		text, ops := kernels.Source(name), map[string]bool{}
		for op := range kinds {
			ops[op] = strings.Contains(text, "("+op+",") || strings.Contains(text, "op_"+op+"(")
		}
		files[name] = ops
	}
	return files
})

// operandType is the type an op is selected by, that of its last operand.
func operandType(p *program, src [3]int) (d dtype.DType) {
	for _, s := range src {
		if s >= 0 {
			d = p.DTypes[s]
		}
	}
	return d
}

// writeOffsets computes the offset of a vector in every strided input.
func writeOffsets(w func(string, ...any), nd, ns int, index, offset string) {
	w("%s rest = e;", index)
	for k := range ns {
		w("%s at%d = 0;", offset, k)
	}
	for d := nd - 1; d >= 0; d-- {
		if d > 0 {
			w("{ const %s q = rest / (%s)a.dims[%d], r = rest - q * (%s)a.dims[%d]; rest = q;", index, index, d, index, d)
		} else {
			w("{ const %s r = rest;", index)
		}
		for k := range ns {
			w("at%d += (%s)r * (%s)a.strides[%d][%d];", k, offset, offset, k, d)
		}
		w("}")
	}
}

// writeLoads loads all inputs before anything is computed, and returns the names of all registers inside the loops over
// vectors and their elements.
func writeLoads(w func(string, ...any), p *program, f *form) []string {
	names := make([]string, len(p.DTypes))
	k, ptr, imm := 0, 0, 0
	for i, c := range f.classes {
		m := ctype[p.DTypes[i]]
		names[i] = fmt.Sprintf("r%d[u][j]", i)
		switch c {
		case byValue, scalar, across:
			names[i] = fmt.Sprintf("r%d", i)
		default:
			w("Rep<%s>::R r%d[U][V];", m, i)
		}
		const each = "_Pragma(\"unroll\") for (int u = 0; u < U; u++) { const i64 left = a.n - (i64)e - (i64)(u * S); "
		switch c {
		case byValue:
			w("const Rep<%s>::R r%d = get(immediate<%s>(a.imm[%d]));", m, i, m, imm)
			imm++
			continue
		case generated:
			f.rng.write(w, p.DTypes[i], i, ptr)
		case scalar:
			w("const Rep<%s>::R r%d = get(*(const %s *)a.in[%d]);", m, i, m, ptr)
		case aligned:
			w("%sload_vec<%s, V>(r%d[u], (const %s *)a.in[%d] + e + u * S, left); }", each, m, i, m, ptr)
		case unaligned:
			w("%sload_each<%s, V>(r%d[u], (const %s *)a.in[%d] + e + u * S, 1, left); }", each, m, i, m, ptr)
		case rows:
			w("%sload_vec<%s, V>(r%d[u], (const %s *)a.in[%d] + at%d, left); }", each, m, i, m, ptr, k)
			k++
		case across:
			w("const Rep<%s>::R r%d = get(((const %s *)a.in[%d])[at%d]);", m, i, m, ptr, k)
			k++
		case strided:
			w("%sload_each<%s, V>(r%d[u], (const %s *)a.in[%d] + at%d, a.strides[%d][%d], left); }", each, m, i, m, ptr,
				k, k, len(f.dims)-1)
			k++
		}
		ptr++
	}
	return names
}
