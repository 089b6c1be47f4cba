package cuda

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/backend/threefry"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

func init() {
	t := map[string]kernel{"arange": arange, "random_bits": randomBits}
	for _, op := range []string{"random_int", "random_poisson", "random_binomial", "random_gamma", "random_von_mises"} {
		t[op] = func(d *call, _ attr.Attr, out, in []backend.View) error { return d.sample(op, out[0], in) }
	}
	t["random_dirichlet"] = func(d *call, _ attr.Attr, out, in []backend.View) error { return d.sampleRows(out[0], in) }
	register(t)
}

func arangeSource(t dtype.DType, floats bool) string {
	return kernels.Source("prelude") + fmt.Sprintf("#define ARANGE\n#define OUT %s\n#define FLOATS %v\n", ctype[t],
		floats) + kernels.Source("source")
}

func arange(d *call, a attr.Attr, out, _ []backend.View) error {
	r := a.(attr.Arange)
	floats := r.Start.Kind == dtype.KindFloat || r.Step.Kind == dtype.KindFloat
	t := out[0].DType
	f, err := d.kernel(fmt.Sprint("arange ", t, floats), "arange", func() string { return arangeSource(t, floats) })
	if err != nil {
		return err
	}
	var g args
	g.int(r.N)
	g.ptr(address(out[0]))
	g.int(int(r.Start.Int()), int(r.Step.Int()), int(math.Float64bits(r.Start.Float())), int(math.Float64bits(r.Step.Float())))
	return d.launch(f, blocks(r.N, threads), 1, threads, g)
}

func randomSource() string {
	return kernels.Source("prelude", "threefry") + "#define RANDOM\n" + kernels.Source("source")
}

func randomBits(d *call, _ attr.Attr, out, in []backend.View) error {
	key, b, err := d.dense(in[0])
	if err != nil {
		return err
	}
	if b != nil {
		defer b.Free()
	}
	f, err := d.kernel("random_bits", "random_bits", randomSource)
	if err != nil {
		return err
	}
	keys := in[0].Numel() / 2
	bytes := out[0].Numel() * out[0].DType.Size() / keys
	hashes := threefry.Hashes(bytes)
	for at := 0; at < keys; at += maxGridY {
		n := min(maxGridY, keys-at)
		var g args
		g.int(hashes, bytes)
		g.ptr(address(out[0])+uintptr(at*bytes), address(key)+uintptr(8*at))
		if err := d.launch(f, blocks(hashes, threads), n, threads, g); err != nil {
			return err
		}
	}
	return nil
}

// sampleSource is the kernel of a sampler, one element a thread.
func sampleSource(op string, t dtype.DType) string {
	return samplerSource(op, t, "")
}

// rowSampleSource is the kernel of the Dirichlet sampler, group threads a row; long: of rows with more elements than that.
func rowSampleSource(t dtype.DType, group int, long bool) string {
	defines := fmt.Sprintf("#define G %d\n", group)
	if long {
		defines += "#define LONG_ROWS\n"
	}
	return samplerSource("random_dirichlet", t, defines)
}

// samplesEach is how many gamma numbers a thread of a full device has, EACH of sample.cu.
const samplesEach = 8

// each is how many of n gamma numbers a thread has: four blocks a multiprocessor run at the same time.
func (d *Device) each(n int) int { return min(samplesEach, max(1, blocks(n, 4*threads*max(1, d.SMs)))) }

func samplerSource(op string, t dtype.DType, defines string) string {
	return kernels.Source("prelude", "threefry", "stream") + "#define " + strings.ToUpper(op) + "\n" + defines + typed(t) +
		normalLayers(op) + kernels.Source("sample")
}

// normalLayers is the table of package threefry for samplers that draw normal numbers.
func normalLayers(op string) string {
	if op == "random_int" || op == "random_poisson" || op == "random_binomial" {
		return ""
	}
	var b strings.Builder
	b.WriteString("#define NORMAL_LAYERS\n__device__ const double layer_table[257] = {")
	for _, x := range threefry.LayerEnds() {
		fmt.Fprintf(&b, "%.17g, ", x)
	}
	b.WriteString("};\n")
	return b.String()
}

// sampleRows draws rows that sum to 1.
func (d *call) sampleRows(out backend.View, in []backend.View) error {
	if out.Numel() == 0 {
		return nil
	}
	params, same := slices.Clone(in), 0
	if k := classOf(in[1]); k == byValue || k == scalar {
		params[1], same = part(in[1], shape.Of("random_dirichlet", 1), []int{1}, 0), 1
	}
	x, err := d.denseAll(params)
	if err != nil {
		return err
	}
	defer x.free()
	t, size, group := out.DType, out.Shape.Dim(-1), 1
	for group < size && group < 32 {
		group *= 2
	}
	positions, each, long := out.Numel()/size*group, 1, size > group
	if !long {
		each = d.each(positions)
	}
	f, err := d.kernel(fmt.Sprint("random_dirichlet ", t, group, long), "sample", func() string { return rowSampleSource(t, group, long) })
	if err != nil {
		return err
	}
	var g args
	g.int(out.Numel(), out.Numel()/(in[0].Numel()/2), size, each, same)
	g.ptr(address(out))
	for _, v := range x.views {
		g.ptr(address(v))
	}
	return d.launch(f, blocks(positions, each*threads), 1, threads, g)
}

func (d *call) sample(op string, out backend.View, in []backend.View) error {
	params, same := slices.Clone(in), 0
	for i, v := range in[1:] {
		if k := classOf(v); k == byValue || k == scalar { // one value for all
			params[1+i], same = part(v, shape.Of(op, 1), []int{1}, 0), same|1<<i
		}
	}
	x, err := d.denseAll(params)
	if err != nil {
		return err
	}
	defer x.free()
	t := out.DType
	f, err := d.kernel(op+t.String(), "sample", func() string { return sampleSource(op, t) })
	if err != nil {
		return err
	}
	each := 1
	if op == "random_gamma" {
		each = d.each(out.Numel())
	}
	var g args
	g.int(out.Numel(), out.Numel()/(in[0].Numel()/2), same, each)
	g.ptr(address(out))
	for _, v := range x.views {
		g.ptr(address(v))
	}
	if len(in) < 3 {
		g.ptr(0)
	}
	return d.launch(f, blocks(out.Numel(), each*threads), 1, threads, g)
}
