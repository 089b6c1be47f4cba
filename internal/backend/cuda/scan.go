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
var scans = map[string]string{"cumsum": "CumSum", "cumprod": "CumProd", "logcumsumexp": "LogCumSumExp", "argcummax": "ArgCummax", "argcummin": "ArgCummin", "linear_scan": "LinearScan"}

func init() {
	t := map[string]kernel{}
	for op := range scans {
		t[op] = func(d *call, a attr.Attr, out, in []backend.View) error { return d.scan(op, a.(attr.Scan), out[0], in) }
	}
	register(t)
}

// scanSource writes one of the kernels of scan.cu; scan_rows for tiles of so many threads, each with so many elements.
func scanSource(name, op string, in, out dtype.DType, reverse bool, threads, each int) string {
	files, more := []string{"prelude", "elementwise", "reduce_ops"}, "#define EXPONENTIALS 0\n"
	if op == "logcumsumexp" && in.IsComplex() {
		files, more = []string{"prelude", "elementwise", "complex", "reduce_ops"}, "#define EXPONENTIALS 2\n"
	} else if op == "logcumsumexp" {
		files, more = []string{"prelude", "elementwise", "functions", "reduce_ops"}, "#define EXPONENTIALS 1\n"
	}
	return kernels.Source(files...) + more + fmt.Sprintf("#define %s\n#define THREADS %d\n#define V %d\n", strings.ToUpper(name), threads, each) +
		fmt.Sprintf("#define T %s\n#define OUT %s\n#define OP %s\n#define REVERSE %v\n", ctype[in], ctype[out], scans[op], reverse) + kernels.Source("scan")
}

// joinedSize is the size of what a scan joins, at most: A of scan.cu.
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

// scanTile is how a row of n elements is cut: threads of a block, and how many elements each has. Short rows take few threads, tiles
// of long ones fill 32 KiB of shared memory.
func scanTile(op string, t dtype.DType, n int) (lanes, each int) {
	for lanes, each = 32, 4; lanes < threads && lanes*each < n; lanes *= 2 {
	}
	for most := 1 << 15 / threads / joinedSize(op, t); each < most && lanes*each < n; each *= 2 {
	}
	return lanes, each
}

// scan runs along one dimension. Rows that lie side by side in memory, or are short, are walked by a thread each, others by blocks.
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
	lanes, each := scanTile(op, v.DType, n)
	tiles := blocks(n, lanes*each)
	name, grid := "scan_rows", rows*tiles
	inOrder := op == "logcumsumexp" && v.DType.IsComplex()
	if inOrder || n <= 32 || step >= 32 && rows >= 4096 || grid >= longest {
		name, grid, lanes, each, tiles = "scan_cols", blocks(rows, threads), threads, 1, 1
	}
	f, err := d.kernel(fmt.Sprint(name, op, v.DType, out.DType, s.Reverse, lanes, each), name, func() string {
		return scanSource(name, op, v.DType, out.DType, s.Reverse, lanes, each)
	})
	if err != nil {
		return err
	}
	var g args
	g.int(rows, n, step, tiles)
	g.ptr(address(out), address(x.views[len(in)-1]), address(x.views[0]))
	if tiles == 1 {
		return d.launch(f, grid, 1, lanes, append(g, 0, 0, 0, 0))
	}
	totals, words := grid*joinedSize(op, v.DType), 4*(grid+1)
	b, err := d.pool.Get(op, 2*totals+words)
	if err != nil {
		return err
	}
	defer b.Free()
	state := b.Dev + uintptr(2*totals)
	if err := d.Fill(state, 0, words); err != nil {
		return err
	}
	g.ptr(b.Dev, b.Dev+uintptr(totals), state, state+uintptr(4*grid))
	return d.launch(f, grid, 1, lanes, g)
}
