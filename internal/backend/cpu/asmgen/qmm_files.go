package asmgen

import (
	"fmt"
	"strings"
)

// qmmFolder is the package of quantized products.
const qmmFolder = "qmm"

// panelKinds are the forms of panels: groups a block, and whether they have minima.
var panelKinds = []struct {
	groups int
	mins   bool
}{{1, false}, {1, true}, {2, false}, {2, true}}

// qmmFiles adds the files of quantized products on amd64.
func qmmFiles(files map[string]string) {
	add := adder(files)
	for _, f := range quantizedFormats {
		if f.short {
			continue
		}
		add("few_"+f.id+"_avx512", func(w *asm) {
			if f.table != nil {
				byteTable(w, "table"+f.id, f.table, 0)
			}
			for _, rows := range fewRows {
				k := qkernel{w: w, f: f, rows: rows}
				k.few()
			}
			k := qkernel{w: w, f: f}
			k.panelUnpack()
			if f.blocks() {
				k.expand()
			}
		})
		if !f.blocks() {
			continue
		}
		add("pack_"+f.id+"_avx512", func(w *asm) { packKernel(w, f) })
	}
	for _, f := range quantizedFormats {
		add("half_"+f.id+"_avx2", func(w *asm) {
			if f.table != nil {
				offset := 0
				if f.signed() {
					offset = f.offset
				}
				byteTable(w, "levels"+f.id, f.table, offset)
			}
			for _, rows := range halfRows {
				k := hkernel{qkernel: qkernel{w: w, f: f, rows: rows}, rawReg: yRaw}
				k.half()
			}
			k := hkernel{qkernel: qkernel{w: w, f: f}, rawReg: yRaw}
			k.panelShort()
			one := wkernel{hkernel: hkernel{qkernel: qkernel{w: w, f: f, rows: 1}}}
			one.whole()
		})
		if !f.blocks() {
			continue
		}
		add("packshort_"+f.id+"_avx2", func(w *asm) {
			k := hpacker{w: w, f: f, p: packedBlocks[f.id]}
			k.write()
		})
	}
	for _, p := range shortPanels {
		add(p.name()+"_avx2", func(w *asm) {
			wordOnes(w)
			for rows := 1; rows <= panelRows; rows++ {
				p.many(w, rows)
			}
		})
	}
	add("fetch", fetchLines)
	add("quantize_avx2", quantizeShort)
	rowsFiles(add)
	for _, p := range panelKinds {
		add(strings.TrimSuffix(panelName(0, p.groups, p.mins), "R0")+"_avx512", func(w *asm) {
			for rows := 1; rows <= panelRows; rows++ {
				many(w, rows, p.groups, p.mins)
			}
		})
	}
	add("amx", func(w *asm) {
		qmmAMX(w)
	})
	add("quantize_avx512", quantizeRows)
	files["stubs_gen_amd64.go"] = qmmStubs()
}

// byteTable writes the levels that quants stand for, less an offset.
func byteTable(w *asm, name string, table []byte, offset int) {
	for i := 0; i < len(table); i += 8 {
		word := uint64(0)
		for j, b := range table[i : i+8] {
			word |= uint64(b-byte(offset)) << (8 * j)
		}
		w.text("DATA %s<>+%d(SB)/8, $0x%016x", name, i, word)
	}
	w.text("GLOBL %s<>(SB), RODATA|NOPTR, $16", name)
}

// qmmStubs declares the kernels and a table of them.
func qmmStubs() string {
	w := newGoFile("amd64", "qmm")
	w.text("//go:noescape\nfunc quantizeAVX512%s\n", quantSig)
	w.text("//go:noescape\nfunc quantizeAVX2%s\n", quantShortSig)
	w.text("//go:noescape\nfunc fetchLines%s\n", fetchSig)
	rowsStubs(w)
	for _, p := range shortPanels {
		p.declare(w)
	}
	for _, p := range panelKinds {
		for rows := 1; rows <= panelRows; rows++ {
			w.text("//go:noescape\nfunc %s%s\n", panelName(rows, p.groups, p.mins), manySig)
		}
		w.text("var %s = [panelRows + 1]manyKernel{", strings.TrimSuffix(panelName(0, p.groups, p.mins), "R0"))
		for rows := 1; rows <= panelRows; rows++ {
			w.text("%d: %s,", rows, panelName(rows, p.groups, p.mins))
		}
		w.text("}\n")
	}
	w.text("//go:noescape\nfunc %s%s\n", qmmAMXName, qmmAMXSig)
	for _, f := range quantizedFormats {
		f.declare(w)
	}
	return w.formatted()
}

// declare writes the Go declarations of the kernels of a format, and their table.
func (f quantized) declare(w *asm) {
	stub := func(name, signature string) { w.text("//go:noescape\nfunc %s%s%s\n", name, f.id, signature) }
	if !f.short {
		for _, rows := range fewRows {
			w.text("//go:noescape\nfunc few%sR%d%s\n", f.id, rows, fewSig)
		}
		stub("unpack", unpackSig)
	}
	for _, rows := range halfRows {
		w.text("//go:noescape\nfunc half%sR%d%s\n", f.id, rows, halfSig)
	}
	stub("whole", halfSig)
	stub("unpackShort", unpackSig)
	if f.blocks() {
		stub("packShort", packTileSig)
		stub("expand", expandSig)
		stub("pack", packTileSig)
	}
	w.text("var kernels%s = kernels{", f.id)
	w.text("whole: whole%[1]s, half: [3]halfKernel{1: half%[1]sR2, half%[1]sR4},", f.id)
	w.text("unpackShort: unpackShort%[1]s, short: &%[2]s,", f.id, shortPanelOf(f).name())
	if f.blocks() {
		w.text("packShort: packShort%[1]s, expand: expand%[1]s, pack: pack%[1]s,", f.id)
	}
	if !f.short {
		var few []string
		for _, rows := range fewRows {
			few = append(few, fmt.Sprintf("few%sR%d", f.id, rows))
		}
		w.text("few: [4]fewKernel{%s}, unpack: unpack%s,", strings.Join(few, ", "), f.id)
		w.text("many: &%s,", strings.TrimSuffix(panelName(0, f.groups, f.mins), "R0"))
	}
	if f.groups == 1 && !f.mins {
		w.text("amx: %s,", qmmAMXName)
	}
	w.text("}\n")
}
