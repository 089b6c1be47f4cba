package cuda

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/mem"
	"github.com/lucid-go/lucid/internal/shape"
)

// TestCompileSorts compiles the sorting kernels, for each width of keys and kind of element.
func TestCompileSorts(t *testing.T) {
	needCompiler(t)
	for _, d := range []dtype.DType{dtype.Bool, dtype.Int8, dtype.Uint64, dtype.BFloat16, dtype.Float64} {
		for _, name := range []string{"sort_rows", "sort_tiles", "merge_tiles", "make_keys", "column_keys", "take_first",
			"mode", "middle"} {
			compileOne(t, name+d.String(), sortSource(name, d, tile, d == dtype.Float64))
		}
		for _, name := range []string{"topk", "median", "partition"} {
			compileOne(t, name+d.String(), selectSource(name, d, selectFormFor(d, 5000, 99<<10), d == dtype.Float64))
			compileOne(t, name+d.String(), selectSource(name, d, selectFormFor(d, 50000, 99<<10), d == dtype.Float64))
		}
		for _, name := range []string{"searchsorted", "isin", "isin_sorted"} {
			compileOne(t, name+d.String(), searchSource(name, d, d == dtype.Int8))
		}
	}
	for r := attr.ReduceSet; r <= attr.ReduceMin; r++ {
		for _, name := range []string{"segmented_scatter", "segmented_finish"} {
			compileOne(t, name, segmentedSource(name, r%2 == 0, dtype.BFloat16, dtype.BFloat16, r, 8*number(r%2 == 0)+number(r%2 == 1), 32))
			compileOne(t, name, segmentedSource(name, r%2 == 1, dtype.Bool, dtype.Bool, r, 1, 128))
		}
	}
	compileOne(t, "isin", searchSource("isin", dtype.Complex64, false))
	for _, name := range []string{"mask_count", "mask_scatter"} {
		compileOne(t, name, maskSource(name))
	}
	compileOne(t, "radix_plan", radixForm{t: dtype.Uint32, key: "u32"}.source("radix_plan", digits(dtype.Int64)))
}

// TestCompileScans compiles every scan over one kind of element each, and all parts of one.
func TestCompileScans(t *testing.T) {
	needCompiler(t)
	for op := range scans {
		for _, d := range []dtype.DType{dtype.Int32, dtype.Float16, dtype.Float64, dtype.Complex64} {
			out := d
			switch {
			case (op == "linear_scan" || op == "logcumsumexp") && !d.IsInexact():
				continue
			case op == "argcummax" || op == "argcummin":
				if d.IsComplex() {
					continue
				}
				out = dtype.Int64
			}
			compileOne(t, op+d.String(), scanSource("scan_cols", op, d, out, d == dtype.Float16, scanForm{threads, 1, 1}))
		}
	}
	for op, d := range map[string]dtype.DType{"argcummax": dtype.BFloat16, "cumsum": dtype.Float32, "cumprod": dtype.Complex64,
		"linear_scan": dtype.Int8} {
		for _, n := range []int{33, 700, 1 << 20} {
			out := d
			if op == "argcummax" {
				out = dtype.Int64
			}
			compileOne(t, op, scanSource("scan_rows", op, d, out, n == 700, scanFormFor(op, d, n, 8/max(2, d.Size()))))
		}
	}
}

var someWindows = windowForm{[3]int{1, 3, 2}, [3]int{1, 2, 1}, [3]int{0, 1, 0}, [3]int{1, 1, 2}, 2, false, false, 1}

// TestCompileWindows compiles convolution, pooling, gathered products and samplers.
func TestCompileWindows(t *testing.T) {
	needCompiler(t)
	for i, d := range []dtype.DType{dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64, dtype.Complex64, dtype.Complex128} {
		for _, name := range []string{"conv_tiled", "conv_direct", "conv_finish"} {
			compileOne(t, name+d.String(), convSource(name, d, 1+i%3, "u32"))
		}
		compileOne(t, "gather_mm", gatherSource(d))
		if d == dtype.Float32 || d == dtype.Float64 {
			compileOne(t, "spmm", spmmSource("spmm", d, 1, 1, 4))
			compileOne(t, "spmm", spmmSource("spmm", d, 1, 16/d.Size(), 1))
			compileOne(t, "bag", spmmSource("bag", d, 1, 16/d.Size(), 1))
		}
		compileOne(t, "pool_unfold", poolSource("pool_unfold", d, someWindows))
		compileOne(t, "pool_fold", poolSource("pool_fold", d, someWindows))
		if d.IsFloat() {
			for _, part := range []string{"FORWARD", "BACKWARD"} {
				compileOne(t, "class_nll", classNLLSource(part, classNLLTypes{d, d, d}, 32, 16/d.Size()))
				compileOne(t, "class_nll", classNLLSource(part, classNLLTypes{d, d, dtype.Float32}, 1+255*number(part == "FORWARD"), 1))
			}
			for _, op := range []string{"pool_max", "pool_max_t", "pool_mean", "pool_mean_t"} {
				compileOne(t, op, poolSource(op, d, someWindows))
				if strings.HasPrefix(op, "pool_max") {
					compileOne(t, op, poolSource(op, d, windowForm{[3]int{3, 3, 1}, [3]int{2, 2, 1}, [3]int{1, 1, 0}, [3]int{1, 1, 1}, 3,
						false, false, 16 / d.Size()}))
				}
			}
			compileOne(t, "random_poisson", sampleSource("random_poisson", d))
			compileOne(t, "random_binomial", sampleSource("random_binomial", d))
			compileOne(t, "random_gamma", sampleSource("random_gamma", d))
			compileOne(t, "random_von_mises", sampleSource("random_von_mises", d))
			compileOne(t, "random_dirichlet", rowSampleSource(d, 16, false))
		}
	}
	compileOne(t, "conv_wide", convSource("conv_tiled", dtype.Float32, 2, "u64"))
	compileOne(t, "pool_max", poolSource("pool_max", dtype.Int8, someWindows))
	compileOne(t, "random_int", sampleSource("random_int", dtype.Uint64))
	compileOne(t, "random_dirichlet", rowSampleSource(dtype.Float32, 32, true))
}

// TestCompileChannels compiles the statistics of channels.
func TestCompileChannels(t *testing.T) {
	needCompiler(t)
	for _, what := range []string{"moments", "dots"} {
		for _, f := range []channelForm{{part: "cols", t: dtype.BFloat16, fd: 1, vector: 8, across: 8},
			{part: "rows", t: dtype.Float32, fd: 2, vector: 4, across: 1},
			{part: "rows", t: dtype.Float64, fd: 3, vector: 1, across: 1},
			{part: "finish", t: dtype.Float16, fd: 1, vector: 8, across: 32}} {
			f.what = what
			compileOne(t, "channel_"+f.part, f.source())
		}
	}
}

// TestCompileFusedReductions compiles programs with fused reductions, of columns and of rows.
func TestCompileFusedReductions(t *testing.T) {
	needCompiler(t)
	for _, d := range []dtype.DType{dtype.Float16, dtype.Float32, dtype.Float64} {
		p := &backend.Fused{Shape: shape.Of("test", 4096, 64), DTypes: []dtype.DType{d, d, d, d}, In: 2, Out: []int{2},
			Instrs: []backend.Instr{{Op: "add", Dst: 2, Src: [3]int{0, 1, -1}}, {Op: "exp", Dst: 3, Src: [3]int{2, -1, -1}}}}
		for _, axis := range []int{0, 1} {
			a := attr.Axes{Axes: attr.MakeInts(axis)}
			if !canFuseReduction("sum", a, d, p.Shape) {
				t.Errorf("%v: dimension %d is not folded", d, axis)
			}
			p.Reduction = &backend.Reduction{Op: "sum", Attr: a, Src: 2, Next: &backend.Reduction{Op: "sum", Attr: a, Src: 3}}
			prepare(p)
			q, f := p.Prep.(*program), &form{classes: []class{aligned, across}, vector: 16 / d.Size(), dims: []int{4096, 64}}
			if f.fitReductions(p.Reduction, p.Shape); axis == 1 {
				compileOne(t, "row_reduction_"+d.String(), rowReductionSource(q, f))
				continue
			}
			compileOne(t, "column_reduction_"+d.String(), columnReductionSource(q, f))
			compileOne(t, "finish_"+d.String(), finishSource(q))
		}
	}
}

// TestCompileRadix compiles the kernels that sort long rows.
func TestCompileRadix(t *testing.T) {
	needCompiler(t)
	for _, d := range []dtype.DType{dtype.Bool, dtype.Int8, dtype.Uint64, dtype.BFloat16, dtype.Float32, dtype.Float64} {
		for _, from := range []bool{false, true} {
			f := (&sorter{t: d}).radixForm(from, false)
			compileOne(t, "radix_count", f.source("radix_count", digits(d)))
			for _, to := range []bool{false, true} {
				f.to = to
				compileOne(t, "radix_scatter", f.source("radix_scatter", nil))
				if f.skips = d.IsInteger(); f.skips {
					compileOne(t, "radix_scatter", f.source("radix_scatter", nil))
				}
			}
		}
	}
}

// TestCompileMany compiles horizontally fused programs, with inputs of all classes.
func TestCompileHorizontal(t *testing.T) {
	needCompiler(t)
	d := dtype.Float32
	p := &backend.Fused{Shape: shape.Of("test", 8, 8), DTypes: []dtype.DType{d, d, d, d}, In: 2, Out: []int{2, 3},
		Instrs: []backend.Instr{{Op: "add", Dst: 2, Src: [3]int{0, 1, -1}}, {Op: "exp", Dst: 3, Src: [3]int{2, -1, -1}}}}
	prepare(p)
	for _, c := range []class{byValue, scalar, aligned, rows, strided} {
		f := &form{classes: []class{c, aligned}, vector: 4, dims: []int{8, 8}}
		compileOne(t, fmt.Sprintf("many_%c", c), fusedSource(p.Prep.(*program), f, 128))
	}
	p.Out = p.Out[:1]
	for copies := range 3 {
		f := &form{classes: []class{strided, rows}, vector: 4, dims: []int{8, 8}, stored: &storedForm{"w16", copies}}
		compileOne(t, "stored", fusedSource(p.Prep.(*program), f, 2))
	}
}

// TestCompileRecurrent compiles the pointwise kernels of recurrent layers.
func TestCompileRecurrent(t *testing.T) {
	needCompiler(t)
	for _, d := range []dtype.DType{dtype.BFloat16, dtype.Float16, dtype.Float32, dtype.Float64} {
		for c := range cellNames {
			for _, part := range []string{"FORWARD", "BACKWARD", "PUT"} {
				compileOne(t, "recurrent_"+part+d.String(), recurrentSource(part, d, c))
			}
		}
	}
}

// TestCompileRows compiles row-fusion groups: an op along rows, elementwise ops behind it, and reductions of every kind.
func TestCompileRows(t *testing.T) {
	needCompiler(t)
	for _, d := range []dtype.DType{dtype.BFloat16, dtype.Float32, dtype.Float64} {
		for _, n := range []int{16, 33, 4096} {
			sh := shape.Of("test", 8, n)
			one := func(in int, op string, reduction *backend.Reduction) *backend.Fused {
				f := &backend.Fused{Shape: sh, DTypes: []dtype.DType{d}, In: in, Reduction: reduction}
				ins := backend.Instr{Op: op, Dst: in, Src: [3]int{-1, -1, -1}}
				for i := range in {
					f.DTypes, ins.Src[i] = append(f.DTypes, d), i
				}
				if op != "" {
					f.Instrs, f.Out = []backend.Instr{ins}, []int{in}
				}
				prepare(f)
				return f
			}
			r := &backend.RowFusion{Count: 8, Locals: []int{n * d.Size()}}
			v := backend.View{Buf: &mem.Buffer{Dev: nowhere, Size: 1 << 20}, DType: d, Shape: sh}
			r.Parts = append(r.Parts, backend.RowFusionPart{Fused: one(1, "softmax", nil), Len: n, Out: []int{0}, In: []int{-1}},
				backend.RowFusionPart{Fused: one(2, "sub", nil), Len: n, Out: []int{-1}, In: []int{0, -1}})
			out, in := []backend.View{v, v}, []backend.View{v, v, v}
			for op, c := range reductions {
				if !contains(c.kinds, d) {
					continue
				}
				a := attr.Attr(attr.Axes{Axes: attr.MakeInts(1)})
				switch op {
				case "var", "std":
					a = attr.Var{Axes: attr.MakeInts(1), Correction: 1}
				case "vector_norm":
					a = attr.Norm{Axes: attr.MakeInts(1), P: 3}
				}
				of := v
				of.Shape = shape.Of("test", 8)
				switch op {
				case "argmax", "argmin", "count_nonzero":
					of.DType = dtype.Int64
				case "any", "all":
					of.DType = dtype.Bool
				}
				r.Parts = append(r.Parts, backend.RowFusionPart{Fused: one(1, "", &backend.Reduction{Op: op, Attr: a}), Len: n,
					Out: []int{-1}, In: []int{-1}})
				out, in = append(out, of), append(in, v)
			}
			w := newRowWriter(r)
			if err := w.write(&Device{}, out, in); err != nil || w.odd {
				t.Fatal(err, "or it was not taken")
			}
			compileOne(t, "rows", w.source())
		}
	}
}
