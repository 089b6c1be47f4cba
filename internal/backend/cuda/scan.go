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

// scanSource writes one of the kernels of scan.cu.
func scanSource(name, op string, in, out dtype.DType, reverse bool) string {
	files, more := []string{"prelude", "elementwise", "reduce_ops"}, "#define EXPONENTIALS 0\n"
	if op == "logcumsumexp" && in.IsComplex() {
		files, more = []string{"prelude", "elementwise", "complex", "reduce_ops"}, "#define EXPONENTIALS 2\n"
	} else if op == "logcumsumexp" {
		files, more = []string{"prelude", "elementwise", "functions", "reduce_ops"}, "#define EXPONENTIALS 1\n"
	}
	return kernels.Source(files...) + more + "#define " + strings.ToUpper(name) + "\n" +
		fmt.Sprintf("#define T %s\n#define OUT %s\n#define OP %s\n#define REVERSE %v\n", ctype[in], ctype[out], scans[op], reverse) + kernels.Source("scan")
}

// scan runs along one dimension. Rows that lie side by side in memory, or are many or short, are walked by a thread each,
// others by blocks; a long row is cut in chunks.
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
	var g args
	kernel := func(name string, blocks int) error {
		f, err := d.kernel(fmt.Sprint(name, op, v.DType, out.DType, s.Reverse), name, func() string { return scanSource(name, op, v.DType, out.DType, s.Reverse) })
		if err != nil {
			return err
		}
		return d.launch(f, blocks, 1, threads, g)
	}
	fill := func(chunk, chunks int, part uintptr) {
		g.int(rows, n, step, chunk, chunks)
		g.ptr(address(out), address(x.views[len(in)-1]), address(x.views[0]), part)
	}
	inOrder := op == "logcumsumexp" && v.DType.IsComplex()
	if inOrder || n <= 32 || step >= 32 && rows >= 4096 || rows >= 1<<28 {
		fill(n, 1, 0)
		return kernel("scan_cols", blocks(rows, threads))
	}
	// As many chunks as fill a device, but none of a few elements; the number depends on sizes alone.
	const fillBlocks, least = 1024, 4096
	chunk := max(least, blocks(n, max(1, fillBlocks/rows)))
	chunks := blocks(n, chunk)
	part := uintptr(0)
	if chunks > 1 {
		b, err := d.pool.Get(op, rows*chunks*accSize)
		if err != nil {
			return err
		}
		defer b.Free()
		part = b.Dev
	}
	fill(chunk, chunks, part)
	if chunks > 1 {
		if err := kernel("fold_chunks", rows*chunks); err != nil {
			return err
		}
		if err := kernel("carry_chunks", rows); err != nil {
			return err
		}
	}
	return kernel("scan_rows", rows*chunks)
}
