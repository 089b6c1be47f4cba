package ops

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/backend/cpu"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/testutil"
	"github.com/lucid-go/lucid/internal/testutil/golden"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// elementwiseOps lists the ops of the elementwise golden families that work element by element.
func elementwiseOps(t *testing.T) []string {
	names := map[string]bool{}
	for _, family := range []string{"unary", "binary", "compare", "complex"} {
		for _, c := range golden.Read(t, family) {
			if s := tensortest.Schema(c.Op); s != nil {
				o := graph.Lookup(s.Name)
				names[s.Name] = names[s.Name] || o == nil || o.Kind == graph.Elementwise
			}
		}
	}
	for _, o := range lucid.Ops() {
		if strings.HasPrefix(o.Name, "special_") {
			names[o.Name] = true
		}
	}
	for _, other := range []string{"allclose", "equal", "mean", "var", "std", "adjoint", "vdot", "dot", "linalg_vector_norm",
		"view_as_complex"} {
		delete(names, other)
	}
	var list []string
	for n, ok := range names {
		if ok {
			list = append(list, n)
		}
	}
	sort.Strings(list)
	return list
}

// operands makes the tensors an op wants: random numbers of dtype d with all special ones among them.
func operands(r *rand.Rand, s *lucid.Op, d lucid.DType, n int) []*lucid.Tensor {
	var in []*lucid.Tensor
	for _, p := range s.Params {
		if !isOperand(p) {
			continue
		}
		v := make([]complex128, n)
		for i := range v {
			v[i] = complex(math.Round(r.NormFloat64()*24)/8, math.Round(r.NormFloat64()*16)/8)
			if !d.IsInexact() {
				v[i] = complex(float64(1+r.IntN(9)), 0)
				if d.IsSigned() && r.IntN(2) == 0 {
					v[i] = -v[i]
				}
			}
		}
		if d.IsFloat() {
			for i, x := range []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, 0.5, 1e-3, 100} {
				v[(i*7+len(in)*3)%n] = complex(x, 0)
			}
		}
		in = append(in, lucid.New(v, n).To(d))
	}
	return in
}

// isOperand reports whether a parameter takes a tensor; the degree of polynomials is given as a number.
func isOperand(p lucid.Param) bool {
	return p.Type == "tensor" || p.Type == "tensor or number" && p.Name != "n"
}

func required(s *lucid.Op) map[string]any {
	a := map[string]any{}
	for _, p := range s.Params {
		switch {
		case p.Optional:
		case p.Type == "int":
			a[p.Name] = 2
		case p.Name == "n":
			a[p.Name] = 5
		case p.Type == "dtype":
			a[p.Name] = "float32"
		}
	}
	return a
}

// unfused names the elementwise nodes the CPU has no block for.
func unfused(n *graph.Node, seen map[*graph.Node]bool) string {
	if seen[n] || n.Stored() {
		return ""
	}
	seen[n] = true
	if n.Op().Kind == graph.Elementwise {
		var in []lucid.DType
		for i := range n.NumIn() {
			in = append(in, n.In(i).DType())
		}
		if !cpu.Device.CanFuse(n.Op().Name, n.DType(), in) {
			return fmt.Sprintf("%s of %v to %v", n.Op().Name, in, n.DType())
		}
	}
	for i := range n.NumIn() {
		if bad := unfused(n.In(i), seen); bad != "" {
			return bad
		}
	}
	return ""
}

// TestElementwiseKernels runs every elementwise op in every dtype it takes: nothing may be left to the reference
// device, and both must agree, over plain, strided and repeated operands.
func TestElementwiseKernels(t *testing.T) {
	ran := 0
	for _, name := range elementwiseOps(t) {
		s := tensortest.Schema(name)
		for _, d := range dtype.All() {
			if testutil.Raced && d != lucid.Float32 && d != lucid.Int32 {
				continue
			}
			r := rand.New(rand.NewPCG(1, uint64(d)))
			in := operands(r, s, d, 1500)
			for _, x := range in {
				x.Eval()
			}
			for _, form := range []string{"plain", "strided", "repeated"} {
				view := func(x *lucid.Tensor) *lucid.Tensor {
					switch form {
					case "strided":
						return x.Reshape(30, 50).Permute(1, 0)
					case "repeated":
						return x.Reshape(3, 1, 500).BroadcastTo(3, 2, 500)
					}
					return x
				}
				call := func(on lucid.Device) []*lucid.Tensor {
					args := make([]*lucid.Tensor, len(in))
					for i, x := range in {
						args[i] = view(x.To(on))
					}
					out, err := lucid.Call(name, args, required(s))
					if err != nil {
						return nil
					}
					return out
				}
				got, want := call(lucid.CPU), call(lucid.Device{Type: "ref"})
				if got == nil {
					break // not for this dtype
				}
				ran++
				for i := range got {
					if bad := unfused((*graph.Array)(got[i]).Peek(), map[*graph.Node]bool{}); bad != "" {
						t.Errorf("%s %v: the CPU has no kernel for %s", name, d, bad)
						break
					}
					if bad := tensortest.Differ(got[i], want[i].To(lucid.CPU), testutil.Tol(got[i].DType(), false)); bad != "" {
						t.Errorf("%s %v %s: output %d: %s", name, d, form, i, bad)
					}
				}
			}
		}
	}
	t.Logf("%d runs", ran)
}

// TestElementwisePosition checks that an element's bits depend on its operands alone: not on its position, on how many
// there are, or on what else is computed in the same pass.
func TestElementwisePosition(t *testing.T) {
	for _, name := range elementwiseOps(t) {
		s := tensortest.Schema(name)
		for _, d := range []lucid.DType{lucid.Float32, lucid.Float64, lucid.BFloat16, lucid.Float16, lucid.Complex64} {
			in := operands(rand.New(rand.NewPCG(3, uint64(d))), s, d, 2100)
			for _, x := range in {
				x.Eval()
			}
			call := func(from, n int, fused bool) *lucid.Tensor {
				args := make([]*lucid.Tensor, len(in))
				for i, x := range in {
					args[i] = (*lucid.Tensor)(door.Wrap(ops.SliceDim((*graph.Array)(x).Peek(), 0, from, n, 1)))
					if fused {
						args[i] = args[i].Neg().Neg()
					}
				}
				out, err := lucid.Call(name, args, required(s))
				if err != nil {
					return nil
				}
				if fused && out[0].DType() != lucid.Bool {
					return out[0].Neg().Neg()
				}
				return out[0]
			}
			all := call(0, 2100, false)
			if all == nil || all.DType() == lucid.Bool {
				continue
			}
			for _, part := range []struct {
				from, n int
				fused   bool
			}{{1, 5, false}, {1017, 40, false}, {7, 2093, false}, {0, 2100, true}, {2099, 1, true}} {
				want := (*lucid.Tensor)(door.Wrap(ops.SliceDim((*graph.Array)(all).Peek(), 0, part.from, part.n, 1)))
				got := call(part.from, part.n, part.fused)
				if !slices.Equal(valueBits(got), valueBits(want)) {
					t.Errorf("%s %v: elements %d to %d (fused %v) differ from those of the whole", name, d, part.from,
						part.from+part.n, part.fused)
				}
			}
		}
	}
}

// valueBits gives the bits of the elements, NaN being one whatever its payload.
func valueBits(x *lucid.Tensor) []uint64 {
	var out []uint64
	for _, v := range lucid.ToSlice[complex128](x) {
		for _, f := range []float64{real(v), imag(v)} {
			if f != f {
				f = math.NaN()
			}
			out = append(out, math.Float64bits(f))
		}
	}
	return out
}
