package asmgen

import (
	"fmt"
	"strings"

	"github.com/lucid-go/lucid/internal/backend/cpu/asmgen/repeat"
)

// vectors lists the tile widths, in vectors, that are written for each ISA.
var vectors = []int{1, 2}

// combos are the pairs that have kernels on amd64.
var combos = []struct {
	v isa
	e elem
}{{avx512, f32}, {avx512, f64}, {avx2, f32}, {avx2, f64}}

// integers are the pairs that have tiles of whole numbers: with fewer rows, since products need registers of their own. AVX2 has
// no product of 64 bits.
var integers = []struct {
	v isa
	e elem
}{{avx512.withRows(12), i32}, {avx512.withRows(12), i64}, {avx2.withRows(4), i32}}

// withRows is an instruction set with smaller tiles.
func (v isa) withRows(rows int) isa {
	v.rows = rows
	return v
}

// The folders of the packages that have generated files.
const (
	gemmFolder = "gemm"
	convFolder = "conv/kernel"
)

// Files returns the text of every generated file by folder and name.
func Files() map[string]map[string]string {
	gemm, conv, qmm := map[string]string{}, map[string]string{}, map[string]string{}
	gemmFiles(gemm)
	neonFiles(gemm)
	convFiles(conv)
	neonConvFiles(conv)
	qmmFiles(qmm)
	qmmNEON(qmm)
	return map[string]map[string]string{gemmFolder: gemm, convFolder: conv, qmmFolder: qmm}
}

// Outputs are the files as they are written: with texts that several share, and blocks that repeat as macros.
func Outputs() map[string]map[string]string {
	all := Files()
	for _, files := range all {
		repeat.Shorten(files)
	}
	return all
}

// adder returns a function that adds an assembly file of amd64, written by f.
func adder(files map[string]string) func(name string, f func(w *asm)) {
	return func(name string, f func(w *asm)) {
		w := newAssembly("amd64")
		f(w)
		files[strings.ToLower(name)+"_gen_amd64.s"] = w.b.String()
	}
}

// gemmFiles adds the files of matrix products on amd64.
func gemmFiles(files map[string]string) {
	add := adder(files)
	for _, c := range combos {
		for _, masked := range []bool{false, true} {
			for _, nv := range vectors {
				tileFiles(add, c.v, c.e, nv, masked)
			}
		}
		add("dot_"+c.e.suffix+"_"+c.v.name, func(w *asm) {
			out := dotMacros(w, c.v, c.e)
			for mr := 1; mr <= c.v.dotRows(); mr++ {
				dot(w, c.v, c.e, mr, out)
			}
		})
		add("tilewide_"+c.e.suffix+"_"+c.v.name, func(w *asm) {
			for mr := 1; mr <= wideRows; mr++ {
				kernel(w, c.v, c.e, mr, wideTile, false)
			}
		})
		add("dotwide_"+c.e.suffix+"_"+c.v.name, func(w *asm) {
			for mr := 1; mr <= wideRows; mr++ {
				dotWide(w, c.v, c.e, mr)
			}
		})
		add("rows_"+c.e.suffix+"_"+c.v.name, func(w *asm) {
			packT(w, c.v, c.e)
			strips(w, c.v, c.e)
			gaxpy(w, c.v, c.e, 8, "")
			gaxpy(w, c.v, c.e, 1, "")
			probe(w, c.v, c.e)
		})
	}
	fetchFiles(add, avx512, f32, "fetch_f32", tileFetch)
	for _, v := range []isa{avx512, avx2} {
		add("half_"+v.name, func(w *asm) {
			widen(w, v, "BF16")
			widen(w, v, "F16")
			if v.masks {
				for _, half := range []string{"BF16", "F16"} {
					gaxpy(w, v, f32, 8, half)
					gaxpy(w, v, f32, 1, half)
				}
			}
		})
	}
	for from := 1; from <= avx512.dotRows(); from += 4 {
		add(fmt.Sprintf("dot_bf16_%s_r%d", avx512.name, from), func(w *asm) {
			out := dotMacros(w, avx512, f32)
			for mr := from; mr < from+4; mr++ {
				dotHalf(w, avx512, mr, out)
			}
		})
	}
	add("dot_f16_"+avx512.name, func(w *asm) {
		out := dotMacros(w, avx512, f16)
		for mr := 1; mr <= avx512.dotRows(); mr++ {
			dot(w, avx512, f16, mr, out)
		}
	})
	bf16Files(add, avx512)
	for _, masked := range []bool{false, true} {
		for _, nv := range vectors {
			tileFiles(add, avx512, vnni, nv, masked)
		}
	}
	for _, c := range integers {
		for _, masked := range maskings(c.v, c.e) {
			for _, nv := range vectors {
				tileFiles(add, c.v, c.e, nv, masked)
			}
		}
	}
	add("tile_amx", amxFile)
	add("masktable", maskTable)
	files["stubs_gen_amd64.go"] = stubs()
	files["stubs_half_gen_amd64.go"] = allHalfStubs()
}

// convFiles adds the files of convolutions on amd64.
func convFiles(files map[string]string) {
	add := adder(files)
	for _, c := range combos {
		directFiles(add, c.v, c.e)
		add("positions_"+c.e.suffix+"_"+c.v.name, func(w *asm) { positionFile(w, c.v, c.e) })
		add("nhwc_"+c.e.suffix+"_"+c.v.name, func(w *asm) { nhwcFile(w, c.v, c.e) })
		add("depthwise_"+c.e.suffix+"_"+c.v.name, func(w *asm) { depthwiseFile(w, c.v, c.e) })
	}
	add("masktable", maskTable)
	files["direct_stubs_gen_amd64.go"] = allDirectStubs()
	files["positions_stubs_gen_amd64.go"] = positionStubs()
	files["nhwc_stubs_gen_amd64.go"] = nhwcStubs()
	files["depthwise_stubs_gen_amd64.go"] = depthwiseStubs()
}

// tileFiles writes the tiles of one width, half of the rows to a file.
func tileFiles(add func(string, func(*asm)), v isa, e elem, nv int, masked bool) {
	half := (v.rows + 1) / 2
	for from := 1; from <= v.rows; from += half {
		name := fmt.Sprintf("tile_%s_%s_v%d_r%d", e.suffix, v.name, nv, from)
		if masked {
			name = fmt.Sprintf("edge_%s_%s_v%d_r%d", e.suffix, v.name, nv, from)
		}
		add(name, func(w *asm) {
			for mr := from; mr < min(from+half, v.rows+1); mr++ {
				kernel(w, v, e, mr, nv, masked)
			}
		})
	}
}

// stubs writes the Go declarations and the tables that dispatch uses.
func stubs() string {
	w := newGoFile("amd64", "gemm")
	w.text("import \"unsafe\"\n")
	tileFetchStubs(w, avx512, f32)
	for _, c := range combos {
		t, id := c.e.goType, c.e.suffix+c.v.name
		kernelStubs(w, c.v, c.e)
		dotWideStubs(w, c.v, c.e)
		w.text("//go:noescape\nfunc packT%s%s\n", id, fmt.Sprintf(packSig, t))
		w.text("//go:noescape\nfunc strips%s%s\n", id, fmt.Sprintf(stripsSig, t))
		w.text("//go:noescape\nfunc gaxpy8%s%s\n", id, fmt.Sprintf(gaxpySig, t))
		w.text("//go:noescape\nfunc gaxpy1%s%s\n", id, fmt.Sprintf(gaxpySig, t))
		w.text("func probe%s(iterations int)\n", id)
	}
	return w.formatted()
}

// allHalfStubs is stubs for the kernels of half types.
func allHalfStubs() string {
	w := newGoFile("amd64", "gemm")
	w.text("import \"unsafe\"\n")
	for _, v := range []isa{avx512, avx2} {
		halfStubs(w, v)
	}
	bf16Stubs(w, avx512)
	tileStubs(w, avx512, vnni)
	for _, c := range integers {
		tileStubs(w, c.v, c.e)
	}
	amxStubs(w)
	return w.formatted()
}

// maskings lists the kinds of tiles: without masks, and edge tiles. Integer multiplies are so slow on AVX-512 that edge tiles serve
// as whole ones too. Measured, that takes 1.02 to 1.05 times as long with 12 rows, and up to 1.20 times with one row.
func maskings(v isa, e elem) []bool {
	if e.times != "" && v.masks {
		return []bool{true}
	}
	return []bool{false, true}
}

// tileStubs declares the tiles of one element type.
func tileStubs(w *asm, v isa, e elem) {
	t, id := e.goType, e.suffix+v.name
	for _, masked := range maskings(v, e) {
		table := "tiles" + id
		if masked {
			table += "m"
		}
		w.text("\n// %s holds the kernels of %d columns a vector, by vectors and rows.", table, v.lanes(e))
		w.text("var %s = [maxVectors + 1][maxRows + 1]tile[%s]{", table, t)
		for _, nv := range vectors {
			w.text("%d: {", nv)
			for mr := 1; mr <= v.rows; mr++ {
				w.text("%d: %s,", mr, kernelName(v, e, mr, nv, masked))
			}
			w.text("},")
		}
		w.text("}\n")
		for _, nv := range vectors {
			for mr := 1; mr <= v.rows; mr++ {
				w.text("//go:noescape\nfunc %s%s\n", kernelName(v, e, mr, nv, masked), fmt.Sprintf(kernelSig, t))
			}
		}
	}
}

// kernelStubs declares the tiles and dots of one element type.
func kernelStubs(w *asm, v isa, e elem) {
	tileStubs(w, v, e)
	t, id := e.goType, e.suffix+v.name
	w.text("// dots%s holds the kernels for B by columns, by rows.", id)
	w.text("var dots%s = []tile[%s]{", id, t)
	for mr := 1; mr <= v.dotRows(); mr++ {
		w.text("%d: %s,", mr, dotName(v, e, mr))
	}
	w.text("}\n")
	for mr := 1; mr <= v.dotRows(); mr++ {
		w.text("//go:noescape\nfunc %s%s\n", dotName(v, e, mr), fmt.Sprintf(dotSig, t))
	}
}

// fetchFiles writes the tiles that fetch, half of the rows to a file.
func fetchFiles(add func(string, func(*asm)), v isa, e elem, name string, write func(*asm, isa, elem, int)) {
	for from := 1; from <= v.rows; from += v.rows / 2 {
		add(fmt.Sprintf("%s_%s_r%d", name, v.name, from), func(w *asm) {
			for mr := from; mr < from+v.rows/2; mr++ {
				write(w, v, e, mr)
			}
		})
	}
}
