package cuda

import (
	"fmt"
	"strings"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() {
	t := map[string]kernel{}
	for _, op := range []string{"pool_max", "pool_mean", "pool_mean_t", "pool_unfold", "pool_fold"} {
		t[op] = func(d *call, a attr.Attr, out, in []backend.View) error {
			return d.windows(op, a.(attr.Pool), out, in[0])
		}
	}
	t["pool_max_t"] = func(d *call, a attr.Attr, out, in []backend.View) error {
		at, b, err := d.dense(in[1])
		if err != nil {
			return err
		}
		if b != nil {
			defer b.Free()
		}
		return d.windows("pool_max_t", a.(attr.Pool), append(out[:1:1], at), in[0])
	}
	register(t)
}

// poolSource writes a kernel of pool.cu.
func poolSource(op string, t dtype.DType, index string) string {
	files := []string{"prelude"}
	if op == "pool_fold" {
		files = []string{"prelude", "elementwise", "reduce_ops"}
	}
	return kernels.Source(files...) + "#define " + strings.ToUpper(op) + "\n" + typed(t) + fmt.Sprintf("#define OUT %s\n#define IX %s\n", ctype[t], index) + kernels.Source("pool")
}

// windows runs a kernel of pool.cu, a thread for every element of the output; out[1] holds places, if there are any.
func (d *call) windows(op string, w attr.Pool, out []backend.View, in backend.View) error {
	x, b, err := d.dense(in)
	if err != nil {
		return err
	}
	if b != nil {
		defer b.Free()
	}
	t := in.DType
	index := "i32"
	if max(out[0].Numel(), in.Numel()) >= 1<<30 {
		index = "i64"
	}
	f, err := d.kernel(op+t.String()+index, op, func() string { return poolSource(op, t, index) })
	if err != nil {
		return err
	}
	at, flag := uintptr(0), 0
	if len(out) > 1 {
		at = address(out[1])
	}
	if w.Adaptive {
		flag = 1
	}
	var g args
	g.int(out[0].Numel())
	g.ptr(address(out[0]), at, address(x))
	for _, list := range []struct {
		v       attr.Ints
		missing int
	}{{w.In, 1}, {w.Out, 1}, {w.Kernel, 1}, {w.Stride, 1}, {w.Pad, 0}, {w.Dilation, 1}} {
		for range 3 - list.v.Len() {
			g.int(list.missing)
		}
		g.int(list.v.Slice()...)
	}
	g.int(flag, int(w.Count), w.Divisor)
	return d.launch(f, blocks(out[0].Numel(), threads), 1, threads, g)
}
