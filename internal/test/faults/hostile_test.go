package faults

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// hostile makes calls that no program should make. Some give the same number everywhere: a window as long as its step and its
// reach hits other limits than one that is large alone.
type hostile struct {
	*rand.Rand
	same *int
}

func pick[T any](r *rand.Rand, v ...T) T { return v[r.IntN(len(v))] }

func (h hostile) int() int {
	if h.same != nil && h.IntN(4) > 0 {
		return *h.same
	}
	if h.IntN(3) > 0 {
		return h.IntN(6) - 2
	}
	return h.far()
}

func (h hostile) far() int {
	return pick(h.Rand, math.MinInt64, math.MinInt64+1, -1<<40, -1<<31, -1000, -3, 4, 5, 7, 16, 17, 1000, 1<<16, 1<<31-1, 1<<31, 1<<32+1,
		1<<40, 1<<53, 1<<62, math.MaxInt64-1, math.MaxInt64)
}

func (h hostile) ints() []int {
	v := make([]int, pick(h.Rand, 0, 1, 1, 2, 2, 3, 4, 20))
	for i := range v {
		v[i] = h.int()
	}
	return v
}

func (h hostile) float() float64 {
	return pick(h.Rand, math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, 0.5, 1, 2, 1e300, 1e-300, 3.7)
}

func (h hostile) string() string {
	return pick(h.Rand, "", "bogus", "mean", "sum", "none", "bilinear", "nearest", "bicubic", "reflect", "replicate", "circular",
		"constant", "amax", "prod", "fro", "ij", "full", "same",
		"valid", "tanh", "linear", "zeros", "border", "reflection", "ii->i", "ij,jk->ik", "i,i", "...a,a->...", "a b -> b a",
		"(a b) c -> a", "(", "->", "a ... -> ...", "max", "floor", "trunc", "area")
}

// attr is a value of the type an attribute has, now and then of another.
func (h hostile) attr(typ string) any {
	if h.IntN(25) == 0 {
		return pick[any](h.Rand, nil, "x", 1.5, true, []any{1, "a"}, map[string]any{"q": 1}, struct{}{})
	}
	switch typ {
	case "[]int":
		return h.ints()
	case "float64":
		return h.float()
	case "[]float64":
		return []float64{h.float(), h.float()}[:h.IntN(3)]
	case "bool":
		return h.IntN(2) == 0
	case "string":
		return h.string()
	case "dtype":
		return pick(h.Rand, append(dtype.All(), lucid.DType(0), lucid.DType(99))...)
	case "map[string]int":
		return map[string]int{"a": h.int()}
	case "any":
		return pick[any](h.Rand, h.int(), h.float(), h.string(), h.ints(), true, 1+2i, []any{[]any{0, 1}, []any{1, 0}}, new(int))
	}
	return h.int()
}

func (h hostile) tensor(like *lucid.Tensor) *lucid.Tensor {
	d := pick(h.Rand, lucid.Float32, lucid.Float32, lucid.Float32, lucid.Int64, lucid.Int64, lucid.Bool, lucid.Float64, lucid.Complex64,
		lucid.Uint8, lucid.BFloat16, lucid.Float16, lucid.Uint64, lucid.Int8, lucid.Int32)
	s := make([]int, pick(h.Rand, 0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 16))
	for i := range s {
		s[i] = pick(h.Rand, 0, 1, 2, 3, 3, 4, 5)
		if len(s) > 6 {
			s[i] = pick(h.Rand, 1, 1, 1, 2)
		}
	}
	if like != nil && h.IntN(2) == 0 {
		s = like.Shape()
		d = pick(h.Rand, d, like.DType(), lucid.Int64)
	}
	n := 1
	for _, v := range s {
		n *= v
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(h.IntN(9) - 3)
	}
	if n > 0 && h.IntN(8) == 0 {
		v[h.IntN(n)] = pick(h.Rand, math.NaN(), math.Inf(1), -1e30, 1e18, 0.37)
	}
	x := lucid.New(v, s...).To(d)
	if len(s) > 1 && h.IntN(4) == 0 {
		x = x.Transpose(0, len(s)-1)
	} else if len(s) > 0 && h.IntN(4) == 0 {
		x = x.At(lucid.Range{Start: lucid.End, Stop: lucid.End, Step: -1})
	}
	return x
}

// call makes a random call of an op.
func (h hostile) call(s *lucid.Op) (in []*lucid.Tensor, attrs map[string]any) {
	attrs = map[string]any{}
	if h.IntN(4) == 0 {
		n := h.far()
		h.same = &n
	}
	var like *lucid.Tensor
	more := func() {
		t := h.tensor(like)
		if like == nil {
			like = t
		}
		in = append(in, t)
	}
	for _, p := range s.Params {
		switch p.Type {
		case "tensors":
			for range h.IntN(4) {
				more()
			}
		case "tensor", "tensor or number":
			switch {
			case p.Optional && h.IntN(2) == 0 || h.IntN(50) == 0:
				in = append(in, nil)
			case p.Type == "tensor" || h.IntN(2) == 0:
				more()
			default:
				attrs[p.Name] = pick[any](h.Rand, h.int(), h.float(), true, uint64(1)<<63)
			}
		default:
			if !p.Optional || h.IntN(2) == 0 {
				attrs[p.Name] = h.attr(p.Type)
			}
		}
	}
	if h.IntN(50) == 0 {
		attrs["zzz"] = 1
	}
	if h.IntN(50) == 0 && len(in) > 0 {
		in = in[1:]
	}
	return in, attrs
}

func describeCall(name string, in []*lucid.Tensor, attrs map[string]any) string {
	var b strings.Builder
	b.WriteString(name)
	for _, t := range in {
		if t == nil {
			b.WriteString(" nil")
		} else {
			fmt.Fprintf(&b, " %v%v", t.DType(), t.Shape())
		}
	}
	fmt.Fprintf(&b, " %v", attrs)
	return b.String()
}

// TestHostileCalls makes senseless calls of every op: each gives a result or a typed error, soon, and nothing else.
func TestHostileCalls(t *testing.T) {
	old := lucid.SetMemoryLimit(lucid.CPU, 1<<27)
	defer lucid.SetMemoryLimit(lucid.CPU, old)
	var names []string
	for _, o := range lucid.Ops() {
		names = append(names, o.Name)
	}
	n, seed := 60, uint64(1)
	if os.Getenv("LUCID_LONG") != "" {
		n, seed = 3000, uint64(time.Now().UnixNano())
	}
	bad := map[string]int{}
	for _, name := range names {
		h := hostile{Rand: rand.New(rand.NewPCG(seed, uint64(len(name))<<8|uint64(name[0])))}
		for range n {
			in, attrs := h.call(tensortest.Schema(name))
			what := describeCall(name, in, attrs)
			grad := h.IntN(3) == 0
			done := make(chan error, 1)
			go func() { done <- hostileCall(name, in, attrs, grad) }()
			var err error
			select {
			case err = <-done:
			case <-time.After(hostilePatience):
				t.Fatalf("%s: does not end", what) // others would wait for it
			}
			if err != nil && bad[name] < 3 {
				bad[name]++
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}

// hostilePatience is long: on a busy machine a collection of a large heap takes seconds.
const hostilePatience = time.Minute

// hostileCall returns what is wrong with how a call fails.
func hostileCall(name string, in []*lucid.Tensor, attrs map[string]any, grad bool) (bad error) {
	defer func() {
		if r := recover(); r != nil {
			bad = fmt.Errorf("panic: %v", r)
		}
	}()
	if grad {
		in = slices.Clone(in)
		for i, t := range in {
			if t != nil && t.DType().IsInexact() {
				in[i] = t.Detach().RequiresGrad_(true)
			}
		}
	}
	out, err := lucid.Call(name, in, attrs)
	if err == nil {
		err = lucid.Eval(out...)
	}
	if err == nil && grad {
		err = lucid.Try(func() {
			for _, o := range out[:min(len(out), 3)] {
				if o.RequiresGrad() && o.NumElement() < 1<<24 { // a view of more is made at once, its gradient is a sum
					o.Backward(lucid.BackwardOptions{Gradient: lucid.OnesLike(o), RetainGraph: true})
				}
			}
			for _, t := range in {
				if t != nil && t.Grad() != nil {
					t.Grad().Eval()
				}
			}
		})
	}
	var typed *lucid.Error
	if err != nil && (!errors.As(err, &typed) || strings.Contains(err.Error(), "internal") ||
		strings.Contains(err.Error(), "runtime error")) {
		return fmt.Errorf("error %T: %v", err, err)
	}
	return nil
}
