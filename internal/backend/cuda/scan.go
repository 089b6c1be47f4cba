package cuda

import (
	"fmt"
	"strings"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
)

// scans are the structs of scan.cu.
var scans = map[string]string{"cumsum": "CumSum", "cumprod": "CumProd", "logcumsumexp": "LogCumSumExp", "argcummax": "ArgCummax",
	"argcummin": "ArgCummin", "linear_scan": "LinearScan"}

func init() {
	t := map[string]kernel{}
	for op := range scans {
		t[op] = func(d *call, a attr.Attr, out, in []backend.View) error { return d.scan(op, a.(attr.Scan), out[0], in) }
	}
	register(t)
}

// scanForm is how scan_rows divides rows: threads of a block; pieces of a warp, each of so many adjacent elements a lane.
type scanForm struct{ threads, pieces, vector int }

func (f scanForm) tile() int { return f.threads * f.pieces * f.vector }

// scanSource is one of the kernels of scan.cu.
func scanSource(name, op string, in, out dtype.DType, reverse bool, f scanForm) string {
	files, more := []string{"prelude", "elementwise", "reduce_ops"}, "#define EXPONENTIALS 0\n"
	if op == "logcumsumexp" && in.IsComplex() {
		files, more = []string{"prelude", "elementwise", "complex", "reduce_ops"}, "#define EXPONENTIALS 2\n"
	} else if op == "logcumsumexp" {
		files, more = []string{"prelude", "elementwise", "functions", "reduce_ops"}, "#define EXPONENTIALS 1\n"
	}
	return kernels.Source(files...) + more + fmt.Sprintf("#define %s\n#define THREADS %d\n#define K %d\n#define V %d\n",
		strings.ToUpper(name), f.threads, f.pieces, f.vector) +
		fmt.Sprintf("#define T %s\n#define OUT %s\n#define OP %s\n#define LINEAR %d\n#define REVERSE %v\n", ctype[in], ctype[out],
			scans[op], number(op == "linear_scan"), reverse) + kernels.Source("scan")
}

// joinedSize is the size of a scan's accumulator, at most: A of scan.cu.
func joinedSize(op string, t dtype.DType) int {
	size := max(4, t.Size())
	switch {
	case op == "argcummax" || op == "argcummin" || op == "linear_scan" || op == "cumprod" && t.IsComplex():
		return max(16, 2*size)
	case t.IsInteger() || t == dtype.Bool:
		return 8
	}
	return size
}

// scanFormFor chooses for rows of n elements. vector is how many adjacent elements may be loaded at once. A thread holds no
// more than fits in registers; short rows take few threads.
func scanFormFor(op string, t dtype.DType, n, vector int) scanForm {
	const held = 128 // bytes
	each := max(1, held/joinedSize(op, t))
	f := scanForm{32, 1, min(vector, each)}
	for f.pieces*f.vector < min(4, each) && f.tile() < n {
		f.pieces *= 2
	}
	for f.threads < threads && f.tile() < n {
		f.threads *= 2
	}
	for f.pieces*f.vector < each && f.tile() < n {
		f.pieces *= 2
	}
	return f
}

// scan runs along one dimension. Rows that are interleaved in memory, or short, are scanned by one thread each, others by
// blocks.
func (d *call) scan(op string, s attr.Scan, out backend.View, in []backend.View) error {
	x, err := d.denseAll(in)
	if err != nil {
		return err
	}
	defer x.free()
	v := in[len(in)-1]
	dims := v.Shape.Dims()
	n, step := dims[s.Axis], product(dims[s.Axis+1:])
	rows := v.Numel() / n
	values, factors := address(x.views[len(in)-1]), address(x.views[0])
	vector := 1
	if step == 1 {
		vector = vectorFor(n, max(2, v.DType.Size(), out.DType.Size()/2), values, factors, address(out))
	}
	form := scanFormFor(op, v.DType, n, vector)
	tiles := blocks(n, form.tile())
	name, grid := "scan_rows", rows*tiles
	inOrder := op == "logcumsumexp" && v.DType.IsComplex()
	if inOrder || n <= 32 || step >= 32 && rows >= 4096 || grid >= longest {
		name, grid, tiles, form = "scan_cols", blocks(rows, threads), 1, scanForm{threads, 1, 1}
	}
	f, err := d.kernel(fmt.Sprint(name, op, v.DType, out.DType, s.Reverse, form), name, func() string {
		return scanSource(name, op, v.DType, out.DType, s.Reverse, form)
	})
	if err != nil {
		return err
	}
	var g args
	g.int(rows, n, step, tiles)
	g.ptr(address(out), values, factors)
	if tiles == 1 {
		return d.launch(f, grid, 1, form.threads, append(g, 0, 0, 0, 0))
	}
	words := 1 // of a Post, see scan.cu
	if size := joinedSize(op, v.DType); size > 4 {
		words = blocks(size, 8) + 1
	}
	groups := rows * blocks(tiles, 32)
	size := 8 * (words*(grid+2*groups) + 1)
	b, err := d.pool.Get(op, size)
	if err != nil {
		return err
	}
	defer b.Free()
	if err := d.Fill(b.Dev, 0, size); err != nil {
		return err
	}
	group := b.Dev + uintptr(8*words*grid)
	all := group + uintptr(8*words*groups)
	g.ptr(b.Dev, group, all, all+uintptr(8*words*groups))
	return d.launch(f, grid, 1, form.threads, g)
}
