package cuda

import (
	"fmt"
	"math"
	"strings"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// reductions are the structs of reduce_ops.cu and the kinds of elements they take.
var reductions = map[string]struct{ name, kinds string }{
	"sum": {"Sum", "bihfc"}, "mean": {"Mean", "hfc"}, "prod": {"Prod", "bihfc"}, "amax": {"Amax", "bihf"}, "amin": {"Amin", "bihf"},
	"argmax": {"Argmax", "bihf"}, "argmin": {"Argmin", "bihf"}, "any": {"Any", "bihfc"}, "all": {"All", "bihfc"},
	"count_nonzero": {"CountNonzero", "bihfc"},
	"var":           {"Var", "hfc"}, "std": {"Std", "hfc"}, "logsumexp": {"Logsumexp", "hfc"}, "vector_norm": {"VectorNorm", "hfc"},
}

func init() {
	t := map[string]kernel{}
	for op := range reductions {
		t[op] = func(d *call, a attr.Attr, out, in []backend.View) error { return d.reduce(op, a, out[0], in[0]) }
	}
	register(t)
}

// folding gives the dimensions of a reduction and its parameter.
func folding(a attr.Attr) (attr.Ints, float64) {
	switch a := a.(type) {
	case attr.Var:
		return a.Axes, a.Correction
	case attr.Norm:
		return a.Axes, a.P
	}
	return a.(attr.Axes).Axes, 0
}

// reduceOps is reduce_ops.cu with the sources it needs.
func reduceOps(op string, in dtype.DType) string {
	if op != "logsumexp" && op != "vector_norm" {
		return kernels.Source("prelude", "elementwise", "reduce_ops")
	}
	if in.IsComplex() {
		return kernels.Source("prelude", "elementwise", "functions", "complex") + "#define FUNCTIONS\n#define COMPLEX_FUNCTIONS\n" +
			kernels.Source("reduce_ops")
	}
	return kernels.Source("prelude", "elementwise", "functions") + "#define FUNCTIONS\n" + kernels.Source("reduce_ops")
}

// reduceSource is one of the kernels of reduce.cu.
func reduceSource(name, op string, in, out dtype.DType, kd, fd, lanes, vector int) string {
	return reduceOps(op, in) + "#define " + strings.ToUpper(strings.TrimPrefix(name, "reduce_")) + "\n" +
		fmt.Sprintf("#define T %s\n#define OUT %s\n#define OP %s\n#define KD %d\n#define FD %d\n#define LANES %d\n#define V %d\n",
			ctype[in], ctype[out], reductions[op].name, kd, fd, lanes, vector) +
		kernels.Source("reduce")
}

// The largest accumulator: a complex number, or a value with its index.
const accSize = 32

func (d *Device) reduce(op string, a attr.Attr, out, in backend.View) error {
	if !contains(reductions[op].kinds, in.DType) {
		return backend.ErrNoKernel
	}
	axes, p := folding(a)
	var remaining, folded, ks, fs []int
	st := in.Strides()
	for i, n := range in.Shape.Dims() {
		if axes.Contains(i) {
			folded, fs = append(folded, n), append(fs, st[i])
		} else {
			remaining, ks = append(remaining, n), append(ks, st[i])
		}
	}
	remaining, ks = collapse(remaining, ks)
	folded, fs = collapse(folded, fs)
	outer, inner := out.Numel(), in.Numel()/out.Numel()
	if inner == 0 { // every output is the value of an empty reduction
		remaining, ks, folded, fs = []int{outer}, []int{0}, []int{1}, []int{0}
	}
	// Adjacent threads should read adjacent elements (coalesced).
	byCols := abs(ks[len(ks)-1]) < abs(fs[len(fs)-1]) && outer >= 32
	lanes, vector := 256, d.reduceVector(in, inner, remaining, ks, folded, fs, byCols)
	if !byCols && inner <= 1024*vector {
		for lanes = 32; lanes > 1 && lanes*vector > inner; lanes /= 2 { // short rows: no idle lanes
		}
	}
	per := 256 / lanes // outputs of a block
	if byCols {
		per = 32 * vector
	}
	chunks := d.chunks(blocks(outer, per), inner, byCols)
	chunk := max(1, blocks(inner, chunks))
	if !byCols {
		chunk = blocks(chunk, vector) * vector
	}
	chunks = max(1, blocks(inner, chunk))
	source := func(name string, lanes int) (*driver.Function, error) {
		return d.kernel(fmt.Sprint("reduce ", op, " ", in.DType, out.DType, len(remaining), len(folded), lanes, " ", vector, name), name,
			func() string {
				return reduceSource(name, op, in.DType, out.DType, len(remaining), len(folded), lanes, vector)
			})
	}
	name := "reduce_rows"
	if byCols {
		name = "reduce_cols"
	}
	f, err := source(name, lanes)
	if err != nil {
		return err
	}
	part := uintptr(0)
	if chunks > 1 {
		b, err := d.pool.Get(op, chunks*outer*accSize)
		if err != nil {
			return err
		}
		defer b.Free()
		part = b.Dev
	}
	var g args
	g.int(outer, inner, chunk, chunks)
	g.ptr(address(out), address(in), part)
	g.int(int(math.Float64bits(p)))
	g.int(remaining...)
	g.int(ks...)
	g.int(folded...)
	g.int(fs...)
	if err := d.launch(f, blocks(outer, per), chunks, threads, g); err != nil || chunks == 1 {
		return err
	}
	lanes = 1
	if chunks >= 64 || chunks >= 8 && outer <= 1024 { // many for few outputs: a thread would wait for memory once for each
		lanes = 32
	}
	finish, err := source("reduce_finish", lanes)
	if err != nil {
		return err
	}
	return d.launch(finish, blocks(outer*lanes, threads), 1, threads, g)
}

// reduceVector is how many adjacent elements a thread loads: 16 bytes if all are so aligned, but not more than 8 elements,
// whose accumulators fit in shared memory.
func (d *Device) reduceVector(in backend.View, inner int, remaining, ks, folded, fs []int, byCols bool) int {
	size, v := in.DType.Size(), min(8, 16/in.DType.Size())
	dims, along, others := folded, fs, ks
	if byCols {
		dims, along, others = remaining, ks, fs
	}
	last := len(along) - 1
	if inner == 0 || !byCols && last > 0 || along[last] != 1 || dims[last]%v != 0 || address(in)%uintptr(v*size) != 0 {
		return 1
	}
	for _, s := range append(append([]int(nil), along[:last]...), others...) {
		if s%v != 0 {
			return 1
		}
	}
	return v
}

// chunks splits the reduced elements so that few outputs still fill the device. It depends on sizes alone, not on the
// number of multiprocessors: bits must not differ between devices.
func (d *Device) chunks(blocks, inner int, byCols bool) int {
	const fill, least = 512, 4096
	small := least
	if byCols {
		small = 128
	}
	return max(1, min(fill/max(blocks, 1), inner/small))
}

func contains(kinds string, d dtype.DType) bool {
	k := kindOf(d)
	for _, c := range kinds {
		if string(c) == k {
			return true
		}
	}
	return false
}

// collapse merges dimensions; at least one is left.
func collapse(dims, strides []int) ([]int, []int) {
	s := shape.Of("cuda", dims...)
	d, st := shape.Collapse(s, strides)
	if len(d) == 0 {
		return []int{1}, []int{0}
	}
	return d, st[0]
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
