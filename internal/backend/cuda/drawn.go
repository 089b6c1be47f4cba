package cuda

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Random numbers at the start of a fused program are made by its kernel, in registers: they depend on nothing but a key and their
// place. The words of random_bits come in pairs, one of each half of the result, so a thread has a vector in both.

// drawing is an input that a program's kernel draws.
type drawing struct {
	key   backend.View
	words bool   // the words themselves, in pairs; else numbers
	below uint64 // this one, 0: any of 64 bits
}

// canDraw reports whether a program's kernel can draw the results of an op.
func canDraw(op string, out dtype.DType) bool {
	return op == "random_bits" && (out == dtype.Uint32 || out == dtype.Uint64) || op == "random_int"
}

// drawingOf sees the operands of an op that draws so; nil: there are several keys, or bounds that differ or lie on the device, or
// an odd number of words.
func drawingOf(op string, n int, in []backend.View) *drawing {
	w := &drawing{key: in[0], words: op == "random_bits"}
	switch {
	case in[0].Numel() != 2 || !in[0].Contiguous() || w.words && n%2 != 0:
		return nil
	case !w.words:
		if classOf(in[1]) != byValue {
			return nil
		}
		w.below = immediateOf(in[1])[0]
	}
	return w
}

// runDrawn runs a program that begins with random numbers; done is false, and nothing was done, where they must be stored first.
func (d *Device) runDrawn(c *backend.Ctx, p *backend.Fused, out, in []backend.View) (done bool, err error) {
	w := drawingOf(p.Producer.Op, p.Shape.Numel(), in[p.In:])
	if w == nil {
		return false, nil
	}
	for i, v := range in[:p.In] {
		if i == p.Producer.Dst {
			continue
		}
		if k := classOf(v); w.words && k == strided { // where a pair's second half lies would have to be found too
			return false, nil
		}
	}
	return true, d.runFused(c, p, w, out, in[:p.In])
}

// pairs reports whether a thread's vectors lie in the two halves of the result.
func (f *form) pairs() bool { return f.drawing != nil && f.drawing.words }

// pairUp fits the vector, so that halves begin at whole ones.
func (f *form) pairUp(n int) {
	for f.pairs() && n%(2*f.vector) != 0 {
		f.vector /= 2
	}
}

// apart writes how far apart the vectors of a thread lie.
func (f *form) apart() string {
	if f.pairs() {
		return "a.n / 2"
	}
	return fmt.Sprintf("%d * V", threads)
}

// files are the sources a drawing needs.
func (w *drawing) files() []string {
	switch {
	case w == nil:
		return nil
	case w.words:
		return []string{"threefry"}
	}
	return []string{"threefry", "stream"}
}

// fields are those that struct Args has for it.
func (w *drawing) fields() string {
	if w == nil || w.words {
		return ""
	}
	return "u64 below;"
}

// write makes input i, whose key is at pointer ptr.
func (w *drawing) write(line func(string, ...any), t dtype.DType, i, ptr int) {
	line("{ const u32 k0 = ((const u32 *)a.in[%d])[0], k1 = ((const u32 *)a.in[%d])[1];\n_Pragma(\"unroll\") for (int j = 0; j < V; j++) {", ptr, ptr)
	switch {
	case !w.words:
		line("_Pragma(\"unroll\") for (int u = 0; u < U; u++) { Stream s = element(k0, k1, (u64)(e + u * S + j)); r%d[u][j] = below(s, a.below); }", i)
	case t == dtype.Uint64: // two words a number, the lower one first
		line("u32 x[2], y[2];\n_Pragma(\"unroll\") for (int h = 0; h < 2; h++) { x[h] = 2 * (u32)(e + j) + h; y[h] = x[h] + (u32)a.n; hash(k0, k1, x[h], y[h]); }")
		line("r%d[0][j] = (u64)x[1] << 32 | x[0]; r%d[1][j] = (u64)y[1] << 32 | y[0];", i, i)
	default:
		line("u32 x = (u32)(e + j), y = x + (u32)S;\nhash(k0, k1, x, y);\nr%d[0][j] = x; r%d[1][j] = y;", i, i)
	}
	line("} }")
}
