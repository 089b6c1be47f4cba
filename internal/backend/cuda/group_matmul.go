package cuda

import (
	"fmt"
	"strings"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/quantize"
)

func init() {
	register(map[string]kernel{"quantize_groups": quantizeGroups, "dequantize_groups": dequantizeGroups,
		"quantized_matmul": quantizedMatmul})
}

// groupSource is the source of a kernel for MLX's quantized rows with scales of a dtype; more are its other definitions.
func groupSource(name string, f quantize.Format, scales dtype.DType, more string) string {
	format := fmt.Sprintf("#define FORMAT_%s\n#define BITS %d\n#define GROUP %d\n#define AFFINE %d\n#define S %s\n",
		strings.ToUpper(f.Mode.String()), f.Bits, f.Group, number(f.Mode == quantize.Affine), ctype[scales])
	return kernels.Source("prelude") + format + more + kernels.Source("group_values", name)
}

func quantizedFormat(a attr.Attr) quantize.Format {
	q := a.(attr.Quantized)
	return quantize.Format{Mode: quantize.Mode(q.Mode), Bits: q.Bits, Group: q.Group}
}

func quantizeGroups(d *call, a attr.Attr, out, in []backend.View) error {
	x, err := d.denseAll(in)
	if err != nil {
		return err
	}
	defer x.free()
	f, t, s := quantizedFormat(a), in[0].DType, out[1].DType
	fn, err := d.kernel(fmt.Sprint("group_quantize", f, t, s), "group_quantize", func() string {
		return groupSource("group_quantize", f, s, typed(t))
	})
	if err != nil {
		return err
	}
	groups := in[0].Numel() / f.Group
	var g args
	g.int(groups)
	g.ptr(address(x.views[0]))
	for _, v := range out {
		g.ptr(address(v))
	}
	if len(out) < 3 {
		g.ptr(0)
	}
	return d.launch(fn, blocks(groups, 8), 1, threads, g)
}

func dequantizeGroups(d *call, a attr.Attr, out, in []backend.View) error {
	x, err := d.denseAll(in)
	if err != nil {
		return err
	}
	defer x.free()
	w := groupsOf(a, x.views)
	return d.dequantizeRows(w, out[0], 0)
}

// quantizedRows are contiguous rows of a quantized matrix.
type quantizedRows struct {
	quantize.Format
	n, k           int
	scale          dtype.DType
	words          uintptr
	scales, biases uintptr // biases is 0 but in affine mode
	views          []backend.View
}

func groupsOf(a attr.Attr, in []backend.View) quantizedRows {
	w := quantizedRows{Format: quantizedFormat(a), n: in[0].Shape.Dim(0), scale: in[1].DType, words: address(in[0]),
		scales: address(in[1]), views: in}
	w.k = w.Elements(in[0].Shape.Dim(1))
	if len(in) > 2 {
		w.biases = address(in[2])
	}
	return w
}

// from are the rows from one on.
func (w quantizedRows) from(row int) quantizedRows {
	groups := uintptr(row * (w.k / w.Group) * w.scale.Size())
	w.n -= row
	w.words += uintptr(4 * row * w.Words(w.k))
	if w.scales += groups; w.biases != 0 {
		w.biases += groups
	}
	return w
}

// dequantizeRows writes the values of rows from one on, as many as out has.
func (d *call) dequantizeRows(w quantizedRows, out backend.View, row int) error {
	f, err := d.kernel(fmt.Sprint("group_dequantize", w.Format, w.scale, out.DType), "group_dequantize", func() string {
		return groupSource("group_dequantize", w.Format, w.scale, dequantizeTo(out.DType))
	})
	if err != nil {
		return err
	}
	w = w.from(row)
	var g args
	g.int(out.Shape.Dim(0), w.k)
	g.ptr(w.words, w.scales, w.biases, address(out))
	return d.launch(f, blocks(out.Shape.Dim(0)*w.k/8, threads), 1, threads, g)
}

// mostGroupRows is up to how many rows of x quantized weights are streamed, once for some of them at a time.
const mostGroupRows = 16

// quantizedMatmul is x·wᵀ for a quantized matrix.
func quantizedMatmul(d *call, a attr.Attr, out, in []backend.View) error {
	x, err := d.denseAll(in)
	if err != nil {
		return err
	}
	defer x.free()
	m, as := out[0].Shape.Dim(0), out[0].DType
	w := groupsOf(a, x.views[1:])
	if m <= mostGroupRows {
		if done, err := d.streamGroups(w, out[0], x.views[0]); done || err != nil {
			return err
		}
	}
	if a.(attr.Quantized).Fast && as == dtype.Float32 {
		as = dtype.BFloat16
	}
	return d.dequantizedProduct(as, out[0], x.views[0], func(to backend.View, from int) error { return d.dequantizeRows(w, to, from) })
}

// groupForm is the shape of the kernel of group_stream.cu.
type groupForm struct {
	quantize.Format
	x, scale dtype.DType
	tiles    int  // of 8 columns of x
	warps    int  // of a block
	part     int  // elements of a row in a part of the ring
	split    int  // warps that share a tile
	stages   int  // parts of the ring
	unit     int  // bytes of numbers that are copied at once
	sunit    int  // of scales
	aligned  bool // vectors of x are
}

// columns is how many a row of x has: its parts.
func (f groupForm) columns() int {
	if f.x == dtype.Float32 {
		return 3
	}
	return 1
}

// stage is how many bytes a part of the ring of a warp has.
func (f groupForm) stage() int {
	row, scales := f.part*f.Bits/8+16, f.part/f.Group*f.scale.Size()
	if f.Bits == 8 {
		row += 16
	}
	if f.Mode == quantize.Affine {
		scales *= 2
	}
	return 16 * (row + scales)
}

// shared is how many bytes of shared memory a block needs for some rows of x, without the rings.
func (f groupForm) shared(rows, k int) int {
	columns := rows * f.columns()
	n := 2*columns*(blocks(k, 64)*64+32) + 2*f.warps*columns*16*4
	if f.Mode == quantize.Affine {
		n += k / f.Group * 8 * f.tiles * 4
	}
	return n
}

// form decides how up to m rows of x are multiplied at once; rows is 0 if even one does not fit.
func (w quantizedRows) form(d *driver.Device, x dtype.DType, m int) (f groupForm, rows int) {
	const own, least, most = 1 << 10, 3, 8
	f = groupForm{Format: w.Format, x: x, scale: w.scale, part: 128, unit: 16, split: 8}
	if f.part/f.Group*w.scale.Size() < 4 {
		f.part = 256 // scales are copied by four bytes at least
	}
	for f.split > blocks(w.k, f.part) {
		f.split /= 2
	}
	for (w.words|uintptr(w.k/8*w.Bits))%uintptr(f.unit) != 0 {
		f.unit /= 2
	}
	f.sunit = min(16, f.part/f.Group*w.scale.Size())
	for (w.scales|w.biases|uintptr(w.k/w.Group*w.scale.Size()))%uintptr(f.sunit) != 0 {
		f.sunit /= 2
	}
	for rows = min(m, 32/f.columns()); rows > 0; rows-- {
		f.tiles = blocks(rows*f.columns(), 8)
		for _, free := range []int{min(d.Shared+own, streamShared) - own, d.Shared} {
			for _, f.warps = range []int{16, 8} {
				f.stages = min(most, (free-f.shared(rows, w.k))/(f.warps*f.stage()))
				if f.stages >= least {
					return f, rows
				}
			}
		}
	}
	return f, 0
}

func (f groupForm) source() string {
	t := f.x
	if t == dtype.Float32 {
		t = dtype.BFloat16
	}
	more := fmt.Sprintf("#define X %s\n#define T %s\n#define MMA \"%s\"\n", ctype[f.x], ctype[t], ctype[t])
	more += fmt.Sprintf("#define WIDE %d\n#define HALF16 %d\n", number(f.x == dtype.Float32), number(t == dtype.Float16))
	more += fmt.Sprintf("#define TILES %d\n#define WARPS %d\n#define PART %d\n#define SPLIT %d\n#define STAGES %d\n#define UNIT %d\n"+
		"#define SUNIT %d\n#define ALIGNED %d\n", f.tiles, f.warps, f.part, f.split, f.stages, f.unit, f.sunit, number(f.aligned))
	return groupSource("group_stream", f.Format, f.scale, more)
}

// streamGroups multiplies few rows of x; done is false if there is no kernel for that.
func (d *call) streamGroups(w quantizedRows, out, x backend.View) (done bool, err error) {
	if d.Major < 8 || w.k == 0 {
		return false, nil
	}
	early := true
	for _, v := range w.views {
		early = early && d.early(v)
	}
	m, size := out.Shape.Dim(0), uintptr(out.DType.Size())
	for from := 0; from < m; {
		f, rows := w.form(d.Device.Device, x.DType, m-from)
		if rows == 0 {
			return false, nil
		}
		f.aligned = address(x)%16 == 0
		fn, err := d.kernel(fmt.Sprint("group_stream", f), "group_stream", f.source)
		if err != nil {
			return false, err
		}
		if d.mode == capturing {
			d.Device.Carveout = streamCarveout
		}
		var g args
		g.int(rows, w.n, w.k, number(early))
		g.ptr(address(x)+uintptr(from*w.k)*size, w.words, w.scales, w.biases, address(out)+uintptr(from*w.n)*size)
		bytes := f.shared(rows, w.k) + f.warps*f.stages*f.stage()
		if err := d.launchShared(fn, min(blocks(w.n, 16), d.SMs), 1, 32*f.warps, bytes, g); err != nil {
			return false, err
		}
		from += rows
	}
	return true, nil
}
