package cuda

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
)

// rowReg is a value in registers: an array of a thread's elements of the row, or one number for the row.
type rowReg struct {
	name string
	long bool
}

// rowLoad is an operand in memory.
type rowLoad struct {
	at     uintptr
	layout rowLayout
	t      dtype.DType
}

// rowWriter generates the kernel of a row-fusion group, and collects its arguments.
type rowWriter struct {
	p       *backend.RowFusion
	long    int // elements of a row
	share   share
	odd     bool // the kernel does not take the layout of some operand
	body    strings.Builder
	files   map[string]bool
	fold    bool               // it needs the functions of reductions
	in, out []uintptr          // operands in memory
	imm     []uint64           // those passed with the launch, two words each
	size    int                // of the widest element of full rows
	rowsAt  []uintptr          // addresses of full rows
	locals  map[int]rowReg     // by number
	now     map[uintptr]rowReg // what was stored at an address
	loaded  map[rowLoad]rowReg
	count   int // of names
	tmp     []*mem.Buffer
}

func newRowWriter(p *backend.RowFusion) *rowWriter {
	w := &rowWriter{p: p, size: 1, files: map[string]bool{}, locals: map[int]rowReg{}, now: map[uintptr]rowReg{},
		loaded: map[rowLoad]rowReg{}}
	for i := range p.Parts {
		w.long = max(w.long, p.Parts[i].Len)
	}
	return w
}

func (w *rowWriter) free() {
	for _, b := range w.tmp {
		b.Free()
	}
}

func (w *rowWriter) line(format string, args ...any) {
	fmt.Fprintf(&w.body, format+"\n", args...)
}

// name makes a new one.
func (w *rowWriter) name() string {
	w.count++
	return fmt.Sprintf("r%d", w.count)
}

// array declares a value that has elements of the row.
func (w *rowWriter) array(t dtype.DType) rowReg {
	r := rowReg{w.name(), true}
	w.line("Rep<%s>::R %s[HELD][V];", ctype[t], r.name)
	return r
}

// write generates all parts.
func (w *rowWriter) write(d *Device, out, in []backend.View) error {
	for i := range w.p.Parts {
		part := &w.p.Parts[i]
		q := part.Prep.(*program)
		if q.faults != "" || slices.ContainsFunc(part.DTypes, dtype.DType.IsComplex) {
			w.odd = true
		}
		regs := make([]rowReg, len(part.DTypes))
		for k := range part.In {
			r, err := w.input(d, part, k, in[k])
			if err != nil || w.odd {
				return err
			}
			regs[k] = r
		}
		w.part(part, q, regs, out)
		out, in = out[len(part.Out):], in[len(part.In):]
	}
	vector := vectorFor(w.long, max(2, w.size), w.rowsAt...)
	var ok bool
	if w.share, ok = rowSharing(w.long, vector); !ok {
		w.odd = true
	}
	return nil
}

// input finds a part's operand: made by an earlier part, or in memory.
func (w *rowWriter) input(d *Device, part *backend.RowFusionPart, k int, v backend.View) (rowReg, error) {
	if l := part.In[k]; l >= 0 {
		return w.locals[l], nil
	}
	t, layout := part.DTypes[k], rowLayoutOf(v, w.p.Count, part.Len)
	m := ctype[t]
	if layout == rowValue {
		r := rowReg{w.name(), false}
		w.line("const Rep<%s>::R %s = get(immediate<%s>(a.imm[%d]));", m, r.name, m, len(w.imm)/2)
		imm := immediateOf(v)
		w.imm = append(w.imm, imm[:]...)
		return r, nil
	}
	b, err := d.bring(&v)
	if err != nil {
		return rowReg{}, err
	}
	if b != nil {
		w.tmp = append(w.tmp, b)
	}
	at := address(v)
	if r, ok := w.now[at]; ok {
		return r, nil
	}
	if r, ok := w.loaded[rowLoad{at, layout, t}]; ok {
		return r, nil
	}
	if layout == rowElse {
		w.odd = true
		return rowReg{}, nil
	}
	from := fmt.Sprintf("(const %s *)a.in[%d]", m, len(w.in))
	w.in = append(w.in, at)
	var r rowReg
	switch layout {
	case rowFull, rowLine:
		w.size, w.rowsAt = max(w.size, t.Size()), append(w.rowsAt, at)
		if layout == rowFull {
			from += " + at"
		}
		r = w.array(t)
		w.line("MINE(h, i) load_row<%s, V>(%s[h], %s, i, 1);", m, r.name, from)
	case rowOnce:
		r = rowReg{w.name(), false}
		w.line("const Rep<%s>::R %s = get((%s)[here ? row : 0]);", m, r.name, from)
	default:
		r = rowReg{w.name(), false}
		w.line("const Rep<%s>::R %s = get(*(%s));", m, r.name, from)
	}
	w.loaded[rowLoad{at, layout, t}] = r
	return r, nil
}

// spread makes a value an array if it is not.
func (w *rowWriter) spread(r rowReg, t dtype.DType) rowReg {
	if r.long {
		return r
	}
	s := w.array(t)
	w.line("EACH(h, i) %s[h][j] = %s;", s.name, r.name)
	return s
}

// part generates one part: its instructions, its reductions, its stores.
func (w *rowWriter) part(part *backend.RowFusionPart, q *program, regs []rowReg, out []backend.View) {
	switch {
	case len(part.Instrs) > 0 && rowOps[part.Instrs[0].Op]:
		ins := part.Instrs[0]
		var x []string
		for _, s := range ins.Src {
			if s >= 0 {
				x = append(x, w.spread(regs[s], part.DTypes[s]).name)
			}
		}
		t := part.DTypes[ins.Dst]
		regs[ins.Dst] = w.array(t)
		w.files["functions"] = true
		w.line("row_%s<%s>(%s, %s, lane, n);", ins.Op, ctype[t], regs[ins.Dst].name, strings.Join(x, ", "))
	case len(part.Instrs) > 0:
		for _, f := range filesOf(q) {
			w.files[f] = true
		}
		w.instructions(part, q, regs)
	}
	k := 0
	for _, o := range part.Fused.Out {
		w.store(part, k, regs[o], out[k])
		k++
	}
	for t := part.Reduction; t != nil; t = t.Next {
		from, to := part.DTypes[t.Src], ctype[out[k].DType]
		_, p := folding(t.Attr)
		if t.Op == "logsumexp" || t.Op == "vector_norm" {
			w.fold, w.files["functions"] = true, true
		}
		r := rowReg{w.name(), false}
		w.line("const Rep<%s>::R %s = rounded<%s>(cast<%s>(row_fold<%s<Rep<%s>::R>>(%s, lane, n, a.n, %s)));", to, r.name, to, to,
			reductions[t.Op].name, ctype[from], w.spread(regs[t.Src], from).name, literal(p))
		w.store(part, k, r, out[k])
		k++
	}
}

// instructions generates those of a part, over the elements of a row or once.
func (w *rowWriter) instructions(part *backend.RowFusionPart, q *program, regs []rowReg) {
	keep := slices.Clone(part.Fused.Out)
	for t := part.Reduction; t != nil; t = t.Next {
		keep = append(keep, t.Src)
	}
	names := make([]string, len(regs))
	for k := range part.In {
		if names[k] = regs[k].name; regs[k].long {
			names[k] += "[h][j]"
		}
	}
	if part.Len > 1 {
		for _, k := range keep {
			if k >= len(part.In) && regs[k].name == "" {
				regs[k] = w.array(part.DTypes[k])
			}
		}
		w.line("EACH(h, i) {")
	}
	for _, ins := range part.Instrs {
		var x []string
		for _, s := range ins.Src {
			if s >= 0 {
				x = append(x, names[s])
			}
		}
		to := ctype[part.DTypes[ins.Dst]]
		names[ins.Dst] = w.name()
		w.line("const Rep<%s>::R %s = rounded<%s>(%s);", to, names[ins.Dst], to,
			expression(ins, part.DTypes[ins.Dst], operandType(q, ins.Src), x))
	}
	for _, k := range keep {
		switch {
		case k < len(part.In):
		case part.Len > 1:
			w.line("%s[h][j] = %s;", regs[k].name, names[k])
		default:
			regs[k] = rowReg{names[k], false}
		}
	}
	if part.Len > 1 {
		w.line("}")
	}
}

// store makes output number k of a part known to later parts, and writes it to memory if it is used outside the group.
func (w *rowWriter) store(part *backend.RowFusionPart, k int, r rowReg, v backend.View) {
	if l := part.Out[k]; l >= 0 {
		w.locals[l] = r
		return
	}
	m, at := ctype[v.DType], address(v)
	w.now[at] = r
	if v.Numel() == w.p.Count*w.long {
		w.size, w.rowsAt = max(w.size, v.DType.Size()), append(w.rowsAt, at)
		r = w.spread(r, v.DType)
		w.line("MINE(h, i) store_row<%s, V>((%s *)a.out[%d] + at, %s[h], i, 1);", m, m, len(w.out), r.name)
	} else {
		w.line("if (lane == 0 && here) ((%s *)a.out[%d])[row] = Put<%s>::put(%s);", m, len(w.out), m, r.name)
	}
	w.out = append(w.out, at)
}

// key identifies the source.
func (w *rowWriter) key() string { return fmt.Sprint(w.share, w.body.String()) }

func (w *rowWriter) source() string {
	var b strings.Builder
	files := []string{"prelude", "elementwise"}
	for _, f := range []string{"functions", "special", "incomplete"} {
		if w.files[f] {
			files = append(files, f)
		}
	}
	b.WriteString(kernels.Source(files...))
	if w.fold {
		b.WriteString("#define FUNCTIONS\n")
	}
	b.WriteString(kernels.Source("reduce_ops", "block") + w.share.defines() + kernels.Source("row_fusion"))
	b.WriteString("struct Args { i64 rows, n;")
	for _, f := range []struct {
		text  string
		count int
	}{{" const void *in[%d];", len(w.in)}, {" u64 imm[%d][2];", len(w.imm) / 2}, {" void *out[%d];", len(w.out)}} {
		if f.count > 0 {
			fmt.Fprintf(&b, f.text, f.count)
		}
	}
	b.WriteString(
		" };\nextern \"C\" __global__ void __launch_bounds__(THREADS) rows(const __grid_constant__ Args a) {\nconst int lane = " +
			"threadIdx.x % LANES;\n" +
			"const i64 row = (i64)blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;\nconst bool here = row < a.rows;\nconst i64 n = " +
			"here ? a.n : 0, at = here ? row * a.n : 0;\n")
	b.WriteString(w.body.String() + "}\n")
	return b.String()
}

func (w *rowWriter) args() args {
	var g args
	g.int(w.p.Count, w.long)
	g.ptr(w.in...)
	g = append(g, w.imm...)
	g.ptr(w.out...)
	return g
}
