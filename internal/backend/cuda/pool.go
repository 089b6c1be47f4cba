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

// poolSource is the source of a kernel of pool.cu.
func poolSource(op string, t dtype.DType, f windowForm) string {
	files := []string{"prelude"}
	if op == "pool_fold" {
		files = []string{"prelude", "elementwise", "reduce_ops"}
	}
	return kernels.Source(files...) + "#define " + strings.ToUpper(op) + "\n" + typed(t) + fmt.Sprintf("#define OUT %s\n", ctype[t]) +
		f.define() + kernels.Source("pool")
}

// windows runs a kernel of pool.cu, one thread per output element; out[1] holds indices, if there are any.
func (d *call) windows(op string, w attr.Pool, out []backend.View, in backend.View) error {
	x, b, err := d.dense(in)
	if err != nil {
		return err
	}
	if b != nil {
		defer b.Free()
	}
	t := in.DType
	form := newWindowForm(w, max(out[0].Numel(), in.Numel()))
	if op == "pool_max" || op == "pool_max_t" {
		form.vectorise(t, address(out[0]), address(out[1]), address(x), w)
	}
	f, err := d.kernel(fmt.Sprint(op, t, form), op, func() string { return poolSource(op, t, form) })
	if err != nil {
		return err
	}
	at := uintptr(0)
	if len(out) > 1 {
		at = address(out[1])
	}
	var g args
	g.int(out[0].Numel())
	g.ptr(address(out[0]), at, address(x))
	for _, v := range []attr.Ints{w.In, w.Out} {
		g.int(inThree(v, 1)...)
	}
	g.int(int(w.Count), w.Divisor)
	return d.launch(f, blocks(out[0].Numel()/form.vector, threads), 1, threads, g)
}

// windowForm is what a kernel of pool.cu is specialised for.
type windowForm struct {
	kernel, stride, pad, dilation [3]int
	dims                          int
	adaptive, wide                bool // wide: indices are counted in 64 bits
	vector                        int  // elements of the last dimension that a thread takes
}

// vectorise lets a thread take 16 bytes of the last dimension where windows are one element wide along it: NHWC.
func (f *windowForm) vectorise(t dtype.DType, out, indices, x uintptr, w attr.Pool) {
	v, last := 16/t.Size(), w.In.Len()-1
	one := !f.adaptive && last > 0 && f.kernel[2] == 1 && f.stride[2] == 1 && f.pad[2] == 0
	if one && v > 1 && w.In.At(last)%v == 0 && (out|indices|x)%16 == 0 {
		f.vector = v
	}
}

func newWindowForm(w attr.Pool, elements int) windowForm {
	three := func(v attr.Ints, missing int) [3]int { return [3]int(inThree(v, missing)) }
	return windowForm{three(w.Kernel, 1), three(w.Stride, 1), three(w.Pad, 0), three(w.Dilation, 1), w.In.Len(), w.Adaptive,
		elements >= 1<<30, 1}
}

// inThree pads numbers of the last dimensions to three with those of missing ones.
func inThree(v attr.Ints, missing int) []int {
	list := v.Slice()
	for len(list) < 3 {
		list = append([]int{missing}, list...)
	}
	return list
}

func (f windowForm) define() string {
	index := "i32"
	if f.wide {
		index = "i64"
	}
	list := func(v [3]int) string { return fmt.Sprintf("%d, %d, %d", v[0], v[1], v[2]) }
	return fmt.Sprintf(
		"#define IX %s\n#define V %d\n#define DIMS %d\n#define ADAPTIVE %v\n#define KERNELS %s\n#define STRIDES %s\n#define PADS "+
			"%s\n#define DILATIONS %s\n",
		index, f.vector, f.dims, f.adaptive, list(f.kernel), list(f.stride), list(f.pad), list(f.dilation))
}
