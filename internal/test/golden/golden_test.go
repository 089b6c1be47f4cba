package golden

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/testutil"
	"github.com/lucid-go/lucid/internal/testutil/golden"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// TestGolden replays every golden case through Call: values, dtypes, shapes and gradients.
func TestGolden(t *testing.T) {
	for _, family := range golden.Families() {
		t.Run(family, func(t *testing.T) {
			t.Parallel()
			missing, failed, passed := map[string]int{}, 0, 0
			for i, c := range golden.Read(t, family) {
				if !testutil.InShard(i) {
					continue
				}
				if tensortest.Schema(c.Op) == nil {
					missing[c.Op]++
					continue
				}
				if why := golden.Waived(family, c); why != "" {
					continue
				}
				if bad := run(&c); bad != "" {
					failed++
					if failed <= 40 {
						t.Errorf("%s %s %v: %s", c.Op, c.Name, c.Attrs, bad)
					}
					continue
				}
				passed++
			}
			var names []string
			for n := range missing {
				names = append(names, n)
			}
			sort.Strings(names)
			t.Logf("%d passed, %d failed, missing ops: %v", passed, failed, names)
			for _, n := range names {
				if golden.Missing[n] == "" {
					t.Errorf("op %s of the golden files is not there, and no reason is given", n)
				}
			}
		})
	}
}

// goldenLacks says why an op has no golden case.
var goldenLacks = map[string]string{
	"window_general_gaussian": "SciPy's; compared with it in signal/windows",
	"alpha_dropout":           isRandom, "binomial": isRandom, "drop_block": isRandom, "drop_path": isRandom, "dropout": isRandom,
	"feature_alpha_dropout": isRandom,
	"feature_dropout":       isRandom, "multinomial": isRandom, "multivariate_normal": isRandom, "poisson": isRandom,
	"rand": isRandom, "randn": isRandom, "cauchy": isRandom, "exponential": isRandom, "geometric": isRandom, "log_normal": isRandom,
	"randperm": isRandom,
	"empty":    isAnything, "empty_like": isAnything, "argpartition": isPartial, "partition": isPartial,
	"linalg_eig": isPhase, "linalg_eigh": isPhase, "linalg_svd": isPhase, "linalg_polar": isPhase,
	"lobpcg": isRandom, "svd_lowrank": isRandom, "pca_lowrank": isRandom,
	"linalg_tri_inv":      "MLX's; package linalg compares it with inv",
	"linalg_matrix_sqrth": "PyTorch has none; package linalg squares it",
	"number_of_elements":  "no peer's Python has it; TestNamesOfMLX counts",
	"depends":             "it gives its input; TestDepends checks the order",
	"as_strided_scatter":  isOlderName,
	"fill_diagonal":       isOlderName,
	"triangular_solve":    isOlderName,
	"rotate":              "no peer has it; TestRotate checks rotations by right angles",
}

const (
	isOlderName = "TestCallOlderNames has PyTorch's values"

	isRandom   = "PyTorch draws other numbers; random_test.go has MLX's, and moments"
	isAnything = "its values may be anything"
	isPhase    = "vectors are determined up to a phase; package linalg multiplies the factors and checks gradients"
	isPartial  = "any order on either side of the k-th is right; TestPartitionSides checks them"
)

// TestGoldenCoversOps checks that every op has golden values, or a reason.
func TestGoldenCoversOps(t *testing.T) {
	seen := map[*lucid.Op]bool{}
	for _, family := range golden.All() {
		for _, c := range golden.Read(t, family) {
			seen[tensortest.Schema(c.Op)] = true
		}
	}
	for _, o := range lucid.Ops() {
		if has, why := seen[tensortest.Schema(o.Name)], goldenLacks[o.Name]; !has && why == "" {
			t.Errorf("%s has no golden case", o.Name)
		} else if has && why != "" {
			t.Errorf("%s has golden cases and a reason to have none", o.Name)
		}
	}
}

// tolerance is that of a result: with mixed dtypes it passed through the coarsest of them, integers becoming float32.
func tolerance(c *golden.Case, d lucid.DType) testutil.Tolerance {
	// The error of a convolution by way of spectra is relative to its largest element, and a GPU's transforms round in another order.
	t := testutil.Tol(d, c.Loose || c.Op == "fftconvolve" && lucid.DefaultDevice() != lucid.CPU)
	if !strings.HasPrefix(c.Name, "mixed/") || !d.IsInexact() {
		return t
	}
	for _, in := range c.Inputs {
		if in != nil {
			if e, _ := dtype.Parse(in.DType); e.IsInexact() {
				t.Widen(testutil.Tol(e, c.Loose))
			} else {
				t.Widen(testutil.Tol(lucid.Float32, c.Loose))
			}
		}
	}
	return t
}

// run returns what is wrong, "" if nothing.
func run(c *golden.Case) (bad string) {
	defer func() {
		if r := recover(); r != nil {
			bad = fmt.Sprintf("panic: %v", r)
		}
	}()
	in := make([]*lucid.Tensor, len(c.Inputs))
	hasGrad := len(c.Grads) > 0
	for i, g := range c.Inputs {
		in[i] = tensortest.OnDefault(tensortest.Golden(g))
		if hasGrad && i < len(c.Grads) && c.Grads[i] != nil {
			in[i].RequiresGrad_(true)
		}
	}
	out, err := lucid.Call(c.Op, in, c.Attrs)
	if err != nil {
		return err.Error()
	}
	if len(out) < len(c.Outputs) {
		return fmt.Sprintf("%d outputs, want %d", len(out), len(c.Outputs))
	}
	for i, w := range c.Outputs {
		if w == nil {
			continue
		}
		want := tensortest.Golden(w)
		if d := tensortest.Differ(out[i], want, tolerance(c, want.DType())); d != "" {
			return fmt.Sprintf("output %d: %s", i, d)
		}
	}
	if !hasGrad {
		return ""
	}
	for i, k := range c.Cot {
		if k != nil && out[i].RequiresGrad() {
			out[i].Backward(lucid.BackwardOptions{Gradient: tensortest.OnDefault(tensortest.Golden(k)), RetainGraph: true})
		}
	}
	for i, w := range c.Grads {
		if w == nil {
			continue
		}
		want := tensortest.Golden(w)
		g := in[i].Grad()
		if g == nil {
			g = lucid.With{DType: want.DType()}.Zeros(want.Shape()...)
		}
		if d := tensortest.Differ(g, want, tolerance(c, want.DType())); d != "" {
			return fmt.Sprintf("gradient %d: %s", i, d)
		}
	}
	return ""
}
