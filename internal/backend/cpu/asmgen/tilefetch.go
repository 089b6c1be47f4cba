package asmgen

import "fmt"

// ahead says what a tile asks memory for while it multiplies.
type ahead int

const (
	nothingAhead ahead = iota
	elsewhere          // what its caller names
	panelItself        // what is behind in the panel of B, and in the one that follows
)

// fetchSteps is how many steps of k a tile that fetches does for each line that it asks for.
const fetchSteps = 2

// tileFetchSig is kernelSig with what is read soon.
const tileFetchSig = "(kc int, a []%[1]s, ars, acs int, b []%[1]s, brs int, c []%[1]s, crs, cols int, add bool, " +
	"next unsafe.Pointer, pace int)"

func tileFetchName(v isa, e elem, mr int) string {
	return fmt.Sprintf("fetch%s%sr%d", e.suffix, v.name, mr)
}

// tileFetch writes a tile of two vectors that asks the second cache for memory from next on while it multiplies: a line every
// fetchSteps steps of k, the next one pace bytes on. A burst of requests between two tiles would make the loads of the second wait.
func tileFetch(w *asm, v isa, e elem, mr int) {
	name := tileFetchName(v, e, mr)
	w.text("\n// func %s%s", name, fmt.Sprintf(tileFetchSig, e.goType))
	w.text("TEXT ·%s(SB), NOSPLIT, $0-144", name)
	tile{w, v, e, mr, 2, false}.body(elsewhere)
}

// tileFetchStubs declares them.
func tileFetchStubs(w *asm, v isa, e elem) {
	id := e.suffix + v.name
	w.text("// fetch%s holds the tiles that fetch, by rows.", id)
	w.text("var fetch%s = [maxRows + 1]fetchTile[%s]{", id, e.goType)
	for mr := 1; mr <= v.rows; mr++ {
		w.text("%d: %s,", mr, tileFetchName(v, e, mr))
	}
	w.text("}\n")
	for mr := 1; mr <= v.rows; mr++ {
		w.text("//go:noescape\nfunc %s%s\n", tileFetchName(v, e, mr), fmt.Sprintf(tileFetchSig, e.goType))
	}
}

// streamAhead is how many bytes ahead a tile that streams asks for.
const streamAhead = 8192

func tileStreamName(v isa, e elem, mr int) string {
	return fmt.Sprintf("stream%s%sr%d", e.suffix, v.name, mr)
}

// tileStream writes a tile of two vectors for panels that come from memory and are read once: it asks for both lines of a step of k as many
// bytes ahead as take the time of memory.
func tileStream(w *asm, v isa, e elem, mr int) {
	name := tileStreamName(v, e, mr)
	w.text("\n// func %s%s", name, fmt.Sprintf(kernelSig, e.goType))
	w.text("TEXT ·%s(SB), NOSPLIT, $0-121", name)
	tile{w, v, e, mr, 2, false}.body(panelItself)
}

// fetchPanel asks for a later row of the panel.
func (k tile) fetchPanel() {
	hint := "T0"
	if k.mr == 1 {
		hint = "NTA" // it is not read again: it need not go to L2
	}
	for j := range k.nv {
		k.w.op("PREFETCH%s %d(R10)", hint, streamAhead+j*k.v.bytes)
	}
}

// tileStreamStubs declares them.
func tileStreamStubs(w *asm, v isa, e elem) {
	id := e.suffix + v.name
	w.text("// stream%s holds the tiles for panels that come from memory, by rows.", id)
	w.text("var stream%s = [maxRows + 1]tile[%s]{", id, e.goType)
	for mr := 1; mr <= v.rows; mr++ {
		w.text("%d: %s,", mr, tileStreamName(v, e, mr))
	}
	w.text("}\n")
	for mr := 1; mr <= v.rows; mr++ {
		w.text("//go:noescape\nfunc %s%s\n", tileStreamName(v, e, mr), fmt.Sprintf(kernelSig, e.goType))
	}
}
