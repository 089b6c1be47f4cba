package faults

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/golden"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
)

// hugeSizes are numbers whose products and sums with small ones wrap around in 64 bits.
var hugeSizes = []int{1 << 61, 1<<61 + 1, 1<<56 + 1, 1 << 62, math.MaxInt64, math.MaxInt64 - 1, 1 << 40, 1<<32 + 1, 1<<31 - 1,
	math.MinInt64, math.MinInt64 + 1, -1 << 61, -1 << 40}

// withHuge calls f with copies of the attributes in which one integer, or all of one list, is n.
func withHuge(attrs map[string]any, n int, f func(map[string]any)) {
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		put := func(v any) {
			m := maps.Clone(attrs)
			m[name] = v
			f(m)
		}
		switch v := attrs[name].(type) {
		case int, int64:
			put(n)
		case []any:
			all := slices.Clone(v)
			for i, e := range v {
				switch e.(type) {
				case int, int64:
					one := slices.Clone(v)
					one[i], all[i] = n, n
					put(one)
				}
			}
			put(all)
		case []int:
			all := slices.Clone(v)
			for i := range v {
				one := slices.Clone(v)
				one[i], all[i] = n, n
				put(one)
			}
			put(all)
		}
	}
}

// TestHugeSizes puts numbers near the ends of int64 into calls that are right otherwise: each gives a result or a typed
// error, soon, and nothing else. A wrong bound is found by a crash, or by memory asked for.
func TestHugeSizes(t *testing.T) {
	old := lucid.SetMemoryLimit(lucid.CPU, 1<<27)
	defer lucid.SetMemoryLimit(lucid.CPU, old)
	perOp := 2
	if os.Getenv("LUCID_LONG") != "" {
		perOp = 30
	}
	done, bad := map[string]int{}, map[string]int{}
	for _, family := range golden.Families() {
		for _, c := range golden.Read(t, family) {
			s := tensortest.Schema(c.Op)
			if s == nil || done[c.Op] >= perOp || golden.Waived(family, c) != "" {
				continue
			}
			tried := false
			for i, n := range hugeSizes {
				withHuge(c.Attrs, n, func(attrs map[string]any) {
					tried = true
					in := make([]*lucid.Tensor, len(c.Inputs))
					for i, g := range c.Inputs {
						in[i] = tensortest.Golden(g)
					}
					what := fmt.Sprint(c.Op, " ", c.Name, " ", attrs)
					start := time.Now()
					err := hostileCall(c.Op, in, attrs, i%3 == 0)
					if err == nil && time.Since(start) > hostilePatience {
						err = fmt.Errorf("took %v", time.Since(start))
					}
					if err != nil && bad[c.Op] < 3 {
						bad[c.Op]++
						t.Errorf("%s: %v", what, err)
					}
				})
			}
			if tried {
				done[c.Op]++
			}
		}
	}
	if len(done) < 100 {
		t.Errorf("only %d ops have a size to make huge", len(done))
	}
}

// TestAsStridedBounds checks sums and products that wrap around to an index that is in bounds.
func TestAsStridedBounds(t *testing.T) {
	x := lucid.Arange(16)
	for _, c := range []struct {
		size, stride []int
		offset       int
	}{
		{[]int{9}, []int{1 << 61}, 0},
		{[]int{1<<56 + 1}, []int{1 << 8}, 0},
		{[]int{3, 3}, []int{1 << 62, 1 << 62}, 0},
		{[]int{3}, []int{math.MinInt64}, 0},
		{[]int{2, 2}, []int{math.MaxInt64, 2}, 0},
		{[]int{2}, []int{1}, math.MaxInt64},
		{[]int{2}, []int{-1}, math.MinInt64},
		{[]int{0}, []int{1}, -1},
	} {
		err := lucid.Try(func() {
			lucid.AsStrided(x, c.size, c.stride, lucid.AsStridedOptions{StorageOffset: c.offset}).Eval()
		})
		if err == nil {
			t.Errorf("size %v, stride %v, offset %d: accepted", c.size, c.stride, c.offset)
		}
	}
	y := lucid.AsStrided(x, []int{2, 2}, []int{-1, 3}, lucid.AsStridedOptions{StorageOffset: 5})
	if got := lucid.ToSlice[int64](y); fmt.Sprint(got) != "[5 8 4 7]" {
		t.Errorf("a view in bounds gives %v", got)
	}
}

// TestHugeCreation asks for tensors and layers of sizes that wrap around in 64 bits, or that no machine has.
func TestHugeCreation(t *testing.T) {
	old := lucid.SetMemoryLimit(lucid.CPU, 1<<27)
	defer lucid.SetMemoryLimit(lucid.CPU, old)
	x := lucid.Arange(24.0).Reshape(2, 3, 4)
	for _, n := range hugeSizes {
		for name, f := range map[string]func() *lucid.Tensor{
			"zeros":        func() *lucid.Tensor { return lucid.Zeros(n, 8).Contiguous() },
			"full":         func() *lucid.Tensor { return lucid.Full([]int{8, n}, 3.0).Add(1) },
			"empty":        func() *lucid.Tensor { return lucid.Empty(n, n) },
			"eye":          func() *lucid.Tensor { return lucid.Eye(n) },
			"eye columns":  func() *lucid.Tensor { return lucid.Eye(3, n) },
			"tril indices": func() *lucid.Tensor { return lucid.TrilIndices(n, 3) },
			"triu indices": func() *lucid.Tensor { return lucid.TriuIndices(3, n) },
			"offset":       func() *lucid.Tensor { return lucid.TriuIndices(3, 3, n) },
			"arange":       func() *lucid.Tensor { return lucid.Arange(n) },
			"arange from":  func() *lucid.Tensor { return lucid.Arange(n, math.MaxInt64) },
			"arange step":  func() *lucid.Tensor { return lucid.Arange(0, 10, n) },
			"arange float": func() *lucid.Tensor { return lucid.Arange(0, 1, 1/float64(n)) },
			"linspace":     func() *lucid.Tensor { return lucid.Linspace(0, 1, n) },
			"logspace":     func() *lucid.Tensor { return lucid.Logspace(0, 1, n) },
			"randn":        func() *lucid.Tensor { return lucid.Randn(n, 4) },
			"rand int":     func() *lucid.Tensor { return lucid.RandInt(0, 3, n) },
			"rand range":   func() *lucid.Tensor { return lucid.RandInt(n, math.MaxInt64, 3) },
			"perm":         func() *lucid.Tensor { return lucid.RandPerm(n) },
			"from slice":   func() *lucid.Tensor { return lucid.FromSlice([]float32{1, 2, 3, 4}, n, 4) },
			"reshape":      func() *lucid.Tensor { return x.Reshape(n, -1) },
			"expand":       func() *lucid.Tensor { return x.Expand(n, 2, 3, 4).Add(1) },
			"at":           func() *lucid.Tensor { return x.At(n) },
			"range":        func() *lucid.Tensor { return x.At(lucid.Range{Start: n, Stop: n, Step: n}) },
			"range stop":   func() *lucid.Tensor { return x.At(lucid.Range{Stop: n}) },
			"range step":   func() *lucid.Tensor { return x.At(lucid.Range{Stop: lucid.End, Step: n}) },
			"narrow":       func() *lucid.Tensor { return x.Narrow(1, n, n) },
			"split":        func() *lucid.Tensor { return x.Split(n, 1)[0] },
			"chunk":        func() *lucid.Tensor { return x.Chunk(n, 1)[0] },
			"roll":         func() *lucid.Tensor { return x.Roll(n) },
			"linear":       func() *lucid.Tensor { return nn.NewLinear(n, 3).Weight },
			"embedding":    func() *lucid.Tensor { return nn.NewEmbedding(n, 4).Weight },
			"conv":         func() *lucid.Tensor { return nn.NewConv2d(3, n, []int{3}).Weight },
		} {
			var typed *lucid.Error
			err := lucid.Try(func() { f().Eval() })
			if err != nil && (!errors.As(err, &typed) || strings.Contains(err.Error(), "runtime error")) {
				t.Errorf("%s %d: %T %v", name, n, err, err)
			}
		}
	}
}

// TestHugeCounts checks counts that are the values of tensors: their sum must not wrap around.
func TestHugeCounts(t *testing.T) {
	for name, f := range map[string]func() *lucid.Tensor{
		"repeat interleave": func() *lucid.Tensor {
			return lucid.RepeatInterleave(lucid.Arange(4), lucid.FullLike(lucid.Arange(4), 1<<62))
		},
		"bincount": func() *lucid.Tensor { return lucid.Bincount(lucid.New([]int64{math.MaxInt64}, 1)) },
		"one hot":  func() *lucid.Tensor { return F.OneHot(lucid.New([]int64{math.MaxInt64}, 1)) },
	} {
		if err := lucid.Try(func() { f().Eval() }); !errors.Is(err, lucid.ErrValue) {
			t.Errorf("%s: %v; want an error about the value", name, err)
		}
	}
}
