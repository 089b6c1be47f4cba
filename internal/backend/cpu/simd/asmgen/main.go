// Command simd writes the block kernels of internal/backend/cpu/simd.
//
// A kernel is a short Go function that builds the operations for one element
// (kernels_*.go). From it come the Go twin, the AVX2, the AVX-512 and the NEON
// assembly, so that all of them do the same roundings in the same order.
//
//	go run . -write    # writes ../*_gen*
//	go test .          # fails if the files there differ
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"

	"github.com/lucid-go/lucid/internal/backend/cpu/asmgen/repeat"
)

const dir = ".."

// param is a slice or scalar argument; typ is the Go type of an element.
type param struct{ name, typ string }

func (p param) size() int {
	return map[string]int{"float32": 4, "int32": 4, "float64": 8, "int64": 8, "uint8": 1, "byte": 1, "uint16": 2, "int8": 1, "int16": 2,
		"uint32": 4, "complex64": 8}[p.typ]
}

// acc is an accumulator of a reduction: one register, or one per lane of the group.
type acc struct {
	name  string
	op    string // add, max, min or imax
	typ   string
	lanes bool
	init  uint64
}

// kernel is one routine.
type kernel struct {
	name    string
	doc     string
	slices  []param // the first is written, unless the kernel is a reduction
	scalars []param
	accs    []acc
	lane    int        // bytes of a lane
	scalar  string     // name of the twin for one element, if it is a function of its own
	slow    string     // function for elements that stop the kernel
	rare    func(b *B) // for vectors with such an element, out of the way of the others; the kernel does not stop then
	stops   bool
	noAVX2  bool
	body    func(b *B)

	handWritten bool // twin and exported function are written by hand
	fullGroups  bool // a reduction whose length is a multiple of group
	// the kernel has non-temporal stores; this one, with ordinary stores, does unaligned ends, and all of it without assembly
	cached string
}

// group is the number of lanes of a reduction: 256 bytes of them.
func (k *kernel) group() int { return 256 / k.lane }

// unroll is the number of vectors per iteration of the loop: as many as a reduction has
// lanes for, one where the kernel may stop between them, else more for short bodies.
func (k *kernel) unroll(ops, lanes int) int {
	switch {
	case len(k.accs) > 0:
		return k.group() / lanes
	case k.stops:
		return 1
	case ops <= 6:
		return 4
	}
	return 2
}

// goTail says whether the tail is left to the twin: AVX2 masks lanes of 4 and 8 bytes only, and a mask
// for lanes of 1 and 2 bytes pays nowhere.
func (k *kernel) goTail(t target) bool {
	if k.cached != "" || k.lane < 4 {
		return true
	}
	if t != avx2 {
		return false
	}
	for _, s := range k.slices {
		if s.size() != k.lane {
			return true
		}
	}
	return false
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

func (k *kernel) asmName(isa string) string { return lowerFirst(k.name) + isa }

func (k *kernel) twinName() string { return lowerFirst(k.name) + "Generic" }

// join lists names with one type after each run of equals: "z, x []float32".
func join(ps []param, pre string) string {
	var out []string
	for i, p := range ps {
		s := p.name
		if i == len(ps)-1 || ps[i+1].typ != p.typ {
			s += " " + pre + p.typ
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

func (k *kernel) asmDecl(isa string) string {
	s := join(k.slices, "*") + ", n int"
	if len(k.scalars) > 0 {
		s += ", " + join(k.scalars, "")
	}
	ret := ""
	var rs []param
	for _, c := range k.accs {
		rs = append(rs, param{c.name, c.typ})
	}
	if k.stops {
		rs = append(rs, param{"done", "int"})
	}
	if len(rs) > 0 {
		ret = " (" + join(rs, "") + ")"
	}
	return "func " + k.asmName(isa) + "(" + s + ")" + ret
}

func (k *kernel) params() string {
	s := join(k.slices, "[]")
	if len(k.scalars) > 0 {
		s += ", " + join(k.scalars, "")
	}
	return s
}

// family is a group of kernels that share files.
type family struct {
	file    string
	kernels []*kernel
}

func families() []family {
	return []family{
		{"arith", arith()}, {"compare", compare()}, {"convert", convert()}, {"smallint", smallInts()}, {"shift", shifts()},
		{"quotient", quotients()}, {"intconvert", intConversions()},
		{"logic", predicates()}, {"rounding", rounding()}, {"toint", toInts()},
		{"exp", expFamily()}, {"log", logFamily()}, {"act", activations()}, {"trig", trig()}, {"pow", power64()}, {"random", random()},
		{"special", apart(specials(), "Gammainc", false)}, {"gammainc", apart(specials(), "Gammainc", true)}, {"gamma64", gamma64()},
		{"incomplete64", incomplete64()}, {"beta", apart(gammaPairs64(), "Zeta", false)}, {"zeta64", apart(gammaPairs64(), "Zeta", true)},
		{"bessel64", apart(bessel64(), "BesselK", false)}, {"besselk64", apart(bessel64(), "BesselK", true)},
		{"normal64", normal64()}, {"polynomial", polynomials()},
		{"elementary32", endingIn("F32", elementary())}, {"elementary64", endingIn("F64", elementary())},
		{"reduce", reductions()}, {"row", rowSums()}, {"rowmap", rowMaps()}, {"double", double()},
	}
}

// endingIn are the kernels whose name ends so: one type of a family that is too long for one file.
func endingIn(end string, ks []*kernel) (some []*kernel) {
	for _, k := range ks {
		if strings.HasSuffix(k.name, end) {
			some = append(some, k)
		}
	}
	return some
}

// apart are the kernels whose name begins so, or the others: a part of a family that is too long for one file.
func apart(ks []*kernel, begin string, with bool) (some []*kernel) {
	for _, k := range ks {
		if strings.HasPrefix(k.name, begin) == with {
			some = append(some, k)
		}
	}
	return some
}

// outputs are the files as they are written.
func outputs() map[string][]byte {
	out := files()
	for name, src := range out {
		if strings.HasSuffix(name, ".s") {
			out[name] = []byte(repeat.Fold(string(src)))
		}
	}
	return out
}

func files() map[string][]byte {
	out := map[string][]byte{}
	put := func(name string, src []byte) {
		if strings.HasSuffix(name, ".go") {
			f, err := format.Source(src)
			if err != nil {
				panic(fmt.Sprintf("%s: %v\n%s", name, err, src))
			}
			src = f
		}
		out[name] = src
	}
	for _, f := range families() {
		put(f.file+"_gen_amd64.go", f.dispatch())
		if !f.kernels[0].handWritten {
			put(f.file+"_gen.go", f.twins())
			put(f.file+"_noasm_gen.go", f.noasm())
		}
		assembly, dispatch := f.neonFiles()
		put(f.file+"_gen_arm64.go", dispatch)
		if assembly != nil {
			put(f.file+"_neon_gen_arm64.s", assembly)
		}
		for _, t := range []target{avx2, avx512} {
			a := &asm{tgt: t, data: map[string]int{}}
			a.file = f.file + strings.ToLower(a.isa())
			put(fmt.Sprintf("%s_%s_gen_amd64.s", f.file, strings.ToLower(a.isa())), a.source(f))
		}
	}
	put("chain_gen.go", chainNames())
	for lane, name := range map[int]string{4: "chain", 8: "chain64"} {
		put(name+"_avx2_gen_amd64.s", chainSource(avx2, lane))
		put(name+"_avx512_gen_amd64.s", chainSource(avx512, lane))
		put(name+"_neon_gen_arm64.s", chainSource(neon, lane))
	}
	put("transpose_avx2_gen_amd64.s", transposeSource(avx2))
	put("transpose_avx512_gen_amd64.s", transposeSource(avx512))
	put("transpose_neon_gen_arm64.s", neonTranspose())
	put("lanes_avx2_gen_amd64.s", lanesSource(avx2))
	put("lanes_avx512_gen_amd64.s", lanesSource(avx512))
	put("lanes_neon_gen_arm64.s", neonLanes())
	put("depthwise_neon_gen_arm64.s", neonDepthwise())
	put("winograd_neon_gen_arm64.s", neonWinograd())
	put("pool_neon_gen_arm64.s", neonPool())
	return out
}

func (a *asm) source(f family) []byte {
	for _, k := range f.kernels {
		if a.tgt == avx2 && k.noAVX2 {
			continue
		}
		a.kernel(k)
	}
	var b bytes.Buffer
	b.WriteString(header + "//go:build !purego\n\n#include \"textflag.h\"\n")
	if a.size > 0 {
		fmt.Fprintf(&b, "\n%sGLOBL %sConst<>(SB), RODATA|NOPTR, $%d\n", a.tab.String(), a.file, a.size)
	}
	if strings.Contains(a.out.String(), "tailMask") {
		b.WriteString("\n")
		for i := range 8 {
			v := "0xffffffffffffffff"
			if i >= 4 {
				v = "0"
			}
			fmt.Fprintf(&b, "DATA tailMask<>+%d(SB)/8, $%s\n", 8*i, v)
		}
		b.WriteString("GLOBL tailMask<>(SB), RODATA|NOPTR, $64\n")
	}
	b.WriteString(a.out.String())
	return b.Bytes()
}

const header = "// Code generated by internal/backend/cpu/simd/asmgen; DO NOT EDIT.\n\n"

func main() {
	write := flag.Bool("write", false, "write the files")
	flag.Parse()
	for name, src := range outputs() {
		path := filepath.Join(dir, name)
		old, _ := os.ReadFile(path)
		if bytes.Equal(old, src) {
			continue
		}
		fmt.Println("differs:", name)
		if *write {
			if err := os.WriteFile(path, src, 0o644); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
	}
}
