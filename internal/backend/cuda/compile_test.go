package cuda

import (
	"bytes"
	"debug/elf"
	"fmt"
	"slices"
	"sort"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/backend/cuda/nvrtc"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/ggml"
	declared "github.com/lucid-go/lucid/internal/graph"
	_ "github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/shape"
)

// The compile check needs NVRTC but no GPU: every source is compiled for Hopper, though not for every dtype.

func needCompiler(t *testing.T) {
	t.Helper()
	err := nvrtc.Init()
	asmvariant.Feature("nvrtc", err == nil)
	if err != nil {
		t.Logf("SKIP: %v", err)
		asmvariant.Require(t, "nvrtc")
	}
}

// operands are the dtypes of an op's inputs, as many as its declaration says.
func operands(op string, d dtype.DType) []dtype.DType {
	switch op {
	case "where":
		return []dtype.DType{dtype.Bool, d, d}
	case "with_grad": // the third operand is the gradient's alone
		return []dtype.DType{d, d}
	}
	return slices.Repeat([]dtype.DType{d}, declared.Lookup(op).Inputs.Least())
}

func result(op string, d dtype.DType) dtype.DType {
	switch op {
	case "lt", "le", "gt", "ge", "eq", "ne", "logical_and", "logical_or", "logical_xor", "logical_not", "isnan", "isinf",
		"isfinite", "signbit":
		return dtype.Bool
	case "abs", "real", "imag":
		return d.Real()
	case "complex":
		return d.Complex()
	case "frexp_exponent":
		return dtype.Int32
	}
	return d
}

// everyOp is a program of all elementwise ops over one dtype, and casts to all others.
func everyOp(d dtype.DType) *backend.Fused {
	p := &backend.Fused{Shape: shape.Of("test", 64), DTypes: []dtype.DType{d, d, dtype.Bool, d}, In: 4}
	add := func(op string, a attr.Attr, out dtype.DType, in []dtype.DType) {
		ins := backend.Instr{Op: op, Attr: a, Dst: len(p.DTypes), Src: [3]int{-1, -1, -1}}
		next := 0
		for k, x := range in {
			if x == dtype.Bool && op == "where" && k == 0 {
				ins.Src[k] = 2
				continue
			}
			ins.Src[k] = next
			if next++; next == 2 {
				next = 3 // behind the condition
			}
		}
		p.DTypes, p.Instrs, p.Out = append(p.DTypes, out), append(p.Instrs, ins), append(p.Out, ins.Dst)
	}
	var names []string
	for op := range kinds {
		names = append(names, op)
	}
	sort.Strings(names)
	for _, op := range names {
		in := operands(op, d)
		if !canFuse(op, d, in) || op == "cast" || op == "wrap_index" && d != dtype.Int64 {
			continue
		}
		var a attr.Attr
		switch op {
		case "softplus":
			a = attr.Softplus{Beta: 1, Threshold: 20}
		case "wrap_index":
			a = attr.Bound{Size: 7}
		case "require":
			a = attr.Domain{Op: "test", Rule: attr.Probability}
		case "polygamma":
			a = attr.Order{N: 2}
		case "standard_gamma_grad", "beta_grad", "erfcx_derivative":
			a = attr.Order{N: 1}
		case "special_polynomial":
			a = attr.Polynomial{Family: attr.Laguerre, Derivative: 2}
		}
		add(op, a, result(op, d), in)
	}
	for to := dtype.Bool; to < dtype.N; to++ {
		add("cast", attr.Cast{To: to}, to, []dtype.DType{d})
	}
	prepare(p)
	return p
}

func TestCompileElementwise(t *testing.T) {
	needCompiler(t)
	for d := dtype.Bool; d < dtype.N; d++ {
		t.Run(d.String(), func(t *testing.T) {
			p := everyOp(d)
			f := &form{classes: []class{aligned, aligned, byValue, aligned}, vector: max(1, min(8, 16/d.Size()))}
			compileOne(t, "elementwise_"+d.String(), fusedSource(p.Prep.(*program), f, 0))
		})
	}
}

func TestCompileLayouts(t *testing.T) {
	needCompiler(t)
	d := dtype.Float32
	p := &backend.Fused{Shape: shape.Of("test", 8, 8), DTypes: []dtype.DType{d, d, d, d}, In: 2, Out: []int{2, 3},
		Instrs: []backend.Instr{{Op: "add", Dst: 2, Src: [3]int{0, 1, -1}}, {Op: "exp", Dst: 3, Src: [3]int{2, -1, -1}}}}
	prepare(p)
	for _, c := range []class{byValue, scalar, aligned, unaligned, rows, across, strided} {
		f := &form{classes: []class{c, strided}, vector: 4, wide: c == strided, dims: []int{8, 8}}
		compileOne(t, fmt.Sprintf("layout_%c", c), fusedSource(p.Prep.(*program), f, 0))
	}
}

func TestCompileReductions(t *testing.T) {
	needCompiler(t)
	for op, r := range reductions {
		for _, d := range []dtype.DType{dtype.Bool, dtype.Int32, dtype.BFloat16, dtype.Complex64} {
			if !contains(r.kinds, d) {
				continue
			}
			out := d
			switch op {
			case "argmax", "argmin", "count_nonzero":
				out = dtype.Int64
			case "any", "all":
				out = dtype.Bool
			case "var", "std", "vector_norm":
				out = d.Real()
			}
			for _, part := range []string{"reduce_rows", "reduce_cols", "reduce_finish"} {
				if part == "reduce_rows" || d == dtype.BFloat16 && op == "sum" {
					compileOne(t, part+op+"_"+d.String(), reduceSource(part, op, d, out, 2, 1, 256, min(8, 16/d.Size())))
				}
			}
		}
	}
}

func compileOne(t *testing.T, name, source string) {
	t.Helper()
	if _, err := nvrtc.Compile(name, withPDL(source), "sm_90", options...); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// compileShort is compileOne with a bound of the instructions: code of a next token is read from memory each time.
func compileShort(t *testing.T, name, source string, most uint64) {
	t.Helper()
	b, err := nvrtc.Compile(name, withPDL(source), "sm_90", options...)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	f, err := elf.NewFile(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if s := f.Section(".text." + name); s == nil || s.Size/16 > most {
		t.Errorf("%s: code %+v, of at most %d instructions", name, s, most)
	}
}

func TestCompileFamilies(t *testing.T) {
	needCompiler(t)
	for _, d := range []dtype.DType{dtype.BFloat16, dtype.Float16, dtype.Float32, dtype.Float64} {
		compileOne(t, "rows_"+d.String(), rowsSource("softmax", d, share{256, 16 / d.Size(), 4}))
		for _, op := range []string{"softmax", "softmax_grad"} {
			compileOne(t, "walked_"+op+d.String(), rowsSource(op, d, share{256, 1, 0}))
		}
		for _, part := range []string{"FORWARD", "BACKWARD"} {
			compileOne(t, "walked_norm_"+d.String(), normSource(part, d, dtype.Float32, d, share{256, 16 / d.Size(), 0}, true))
		}
		compileOne(t, "softmax_grad_"+d.String(), rowsSource("softmax_grad", d, share{32, 1, 2}))
		compileOne(t, "norm_"+d.String(), normSource("FORWARD", d, dtype.Float32, d, share{512, 16 / d.Size(), 8}, true))
		compileOne(t, "norm_grad_"+d.String(), normSource("BACKWARD", d, dtype.Float32, d, share{256, 1, 4}, false))
	}
	for d := dtype.Bool; d < dtype.N; d++ {
		compileOne(t, "arange_"+d.String(), arangeSource(d, d.IsInexact()))
		for r := attr.ReduceSet; r <= attr.ReduceMin; r++ {
			if d.IsComplex() && r > attr.ReduceMul || d%5 != dtype.DType(r) {
				continue // a fifth is enough
			}
			compileOne(t, "put_"+d.String(), putSource("u32", d, d, r))
			compileOne(t, "scatter_"+d.String(), indexSource("SCATTER", d, d, r))
		}
	}
	for _, d := range []dtype.DType{dtype.Float16, dtype.BFloat16} { // half-precision sums are accumulated in float32
		compileOne(t, "scatter_wide", indexSource("SCATTER", dtype.Float32, d, attr.ReduceAdd))
		compileOne(t, "put_wide", putSource("u32", dtype.Float32, d, attr.ReduceMul))
	}
	compileOne(t, "gather", gatherAlongSource(dtype.Float16, 1, 3))
	compileOne(t, "narrow", narrowSource())
	for _, d := range []dtype.DType{dtype.Int32, dtype.Uint64, dtype.Int64} {
		compileOne(t, "scatter_add", scatterAtomicSource(d, 1))
		compileOne(t, "scatter_shared", scatterSharedSource(d, false))
	}
	compileOne(t, "random", randomSource())
	for _, unit := range unitOf {
		compileOne(t, "take", takeSource(unit, 1, false))
		compileOne(t, "take", takeSource(unit, 1, true))
		compileOne(t, "move", moveForm{unit, "u64", 3, 0, 1, 1}.source())
		compileOne(t, "move", moveForm{unit, "u32", 3, 0, 2, 3}.source())
		compileOne(t, "move", moveForm{unit, "u32", 1, 4, 1, 2}.source())
		compileOne(t, "transpose", kernels.Source("prelude")+"#define UNIT "+unit+"\n"+kernels.Source("transpose"))
	}
	for _, d := range []dtype.DType{dtype.Bool, dtype.Uint8, dtype.Int64} {
		compileOne(t, "integer_matmul", kernels.Source("prelude", "elementwise")+"#define T "+ctype[d]+"\n"+
			kernels.Source("integer_matmul"))
	}
}

// TestCompileAttention compiles attention's kernels.
func TestCompileAttention(t *testing.T) {
	needCompiler(t)
	for part := range 3 {
		for _, hd := range []int{64, 128} {
			for _, half := range []dtype.DType{dtype.BFloat16, dtype.Float16} {
				q := backend.View{DType: half, Shape: shape.Of("test", 1, 1, 64, hd)}
				p, ok := tilesFor(attr.Attention{Scale: 1}, q, q, q, part)
				if !ok {
					t.Fatalf("%d elements do not fit", hd)
				}
				src, brief := p.source("attention_grad", part == ofKeys), p.soon(true).source("attention_grad", part == ofKeys)
				if part == forward {
					src, brief = p.source("attention", false), p.soon(true).source("attention", false)
				}
				if part == forward {
					masked := p
					masked.masked = true
					compileOne(t, "attention", masked.source("attention", false))
					for _, h := range []tiled{p, masked} {
						h.hopper = true
						src := withPDL(h.source("attention_wgmma", false))
						if _, err := nvrtc.Compile("attention_wgmma", src, "sm_90a", options...); err != nil {
							t.Error(err)
						}
					}
					compileOne(t, "attention_kinds", masked.kindsSource())
				}
				if _, err := nvrtc.Compile("attention", withPDL(brief), "sm_90", briefly...); err != nil {
					t.Fatal(err)
				}
				if _, err := nvrtc.Compile("attention", withPDL(src), "sm_90", options...); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for _, part := range []string{"WEIGHTS", "COTANGENTS"} {
		for _, mask := range []string{"b8", "f32"} {
			src := kernels.Source("prelude") + fmt.Sprintf("#define T f32\n#define MASK %s\n#define MASK_IS_BOOL %d\n#define %s\n", mask,
				number(mask == "b8"), part) + kernels.Source("attention_rows")
			if _, err := nvrtc.Compile("attention_rows", withPDL(src), "sm_90", options...); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, d := range []dtype.DType{dtype.BFloat16, dtype.Float16, dtype.Float32, dtype.Float64} {
		compileOne(t, "attention_sums", sumsSource(d, 1))
		if d.IsHalf() {
			compileOne(t, "attention_sums", sumsSource(d, 8))
		}
	}
	for _, name := range []string{"graph_status", "graph_copies"} {
		if _, err := nvrtc.Compile(name, withPDL(kernels.Source("prelude", name)), "sm_90", options...); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCompileDecoding compiles the kernels of a language model's next token.
func TestCompileDecoding(t *testing.T) {
	needCompiler(t)
	const gated = "DEV float gated(float x, float y) { return op_silu(x) * y; }\n"
	files := kernels.Source("prelude", "elementwise", "functions")
	joined := joinedRows{matrices: 1, weight: dtype.BFloat16}
	three := joinedRows{matrices: 3, normed: 2, weight: dtype.Float32}
	two := joinedRows{matrices: 2, normed: 1, weight: dtype.BFloat16, gated: gated, files: files}
	for _, c := range []fewRows{{t: dtype.BFloat16, out: dtype.BFloat16, rows: 1, warps: 1}, {t: dtype.Float32, out: dtype.Float32, rows: 3,
		warps: 2}, {dtype.BFloat16, dtype.BFloat16, 0, 8, 1, true, 12, joined},
		{dtype.Float16, dtype.Float32, 0, 8, 2, false, 3, joined}, {dtype.BFloat16, dtype.BFloat16, 0, 8, 1, true, 5, three},
		{dtype.BFloat16, dtype.BFloat16, 0, 8, 2, true, 4, two}} {
		compileShort(t, "few_rows", c.source(), 900)
	}
	for _, c := range []decoding{{dtype.BFloat16, dtype.Bool, 4, 8, true, 0, true, 8},
		{dtype.BFloat16, dtype.Bool, 4, 16, true, 32, true, 4}, {dtype.Float16, dtype.Float16, 16, 32, false, 0, true, 0},
		{dtype.Float16, dtype.Float16, 16, 32, false, 0, false, 0},
		{dtype.Float32, dtype.Bool, 1, 4, false, 0, false, 0}, {dtype.Float32, dtype.Bool, 4, 16, true, 0, false, 8}} {
		most := uint64(2100)
		if c.mma || c.cluster > 0 {
			most = 2300
		}
		compileShort(t, "attention_decode", c.source(), most)
	}
	compileOne(t, "set_slices", setSource("w16", 4, 2))
	for _, size := range []int{2, 4, 8} {
		compileOne(t, "attention_pages", pagesSource(size))
	}
	compileOne(t, "block_round", roundSource(dtype.Float32, false))
	compileOne(t, "block_round", roundSource(dtype.BFloat16, true))
	one := blockForm{rows: 1, groups: 64, unit: 16, stages: 5, held: true, own: 2, weight: dtype.Float32}
	compileShort(t, "block_fast", blockProducts{format: ggml.Q4_K, w: make([]backend.View, 3), norm: &rowsNorm{}}.source(one), 1100)
	one.rows, one.own = 2, 0
	compileShort(t, "block_fast", blockProducts{format: ggml.Q6_K, w: make([]backend.View, 2), gate: gate{gated, files}}.source(one), 1400)
}
