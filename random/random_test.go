package random_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/random"
)

// TestVMap maps over keys: each example draws what its key draws alone.
func TestVMap(t *testing.T) {
	keys := random.Keys(random.Key(3), 4)
	all := random.Split(random.Key(3), 4)
	rate := lucid.Full([]int{6}, 20.0)
	for name, f := range map[string]func(key *lucid.Tensor) *lucid.Tensor{
		"bits":    func(k *lucid.Tensor) *lucid.Tensor { return random.Bits(k, []int{5}, 2) },
		"uniform": func(k *lucid.Tensor) *lucid.Tensor { return random.Uniform(k, []int{2, 3}) },
		"normal":  func(k *lucid.Tensor) *lucid.Tensor { return random.Normal(k, []int{3}, random.NormalOptions{Loc: 2.0}) },
		"randint": func(k *lucid.Tensor) *lucid.Tensor {
			return random.RandInt(k, 0, 1<<40, []int{6}, random.Options{DType: lucid.Int64})
		},
		"bernoulli":   func(k *lucid.Tensor) *lucid.Tensor { return random.Bernoulli(k, 0.5, []int{7}) },
		"permutation": func(k *lucid.Tensor) *lucid.Tensor { return random.Permutation(k, 6) },
		"categorical": func(k *lucid.Tensor) *lucid.Tensor {
			n := 9
			return random.Categorical(k, lucid.Of([]float32{0, 1, 2}), random.CategoricalOptions{NumSamples: n})
		},
		"shuffle": func(k *lucid.Tensor) *lucid.Tensor { return random.Permutation(k, rate.Add(lucid.Arange(6))) },
	} {
		var want []float64
		for _, k := range keys {
			want = append(want, lucid.ToSlice[float64](f(k))...)
		}
		if got := lucid.ToSlice[float64](lucid.VMap(f)(all)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestSplitIsFresh(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range append(random.Keys(random.Key(0), 50), random.Key(0)) {
		s := fmt.Sprint(lucid.ToSlice[uint32](k))
		if seen[s] {
			t.Errorf("key %s came twice", s)
		}
		seen[s] = true
	}
}

// TestBounds draws integers between tensors.
func TestBounds(t *testing.T) {
	low, high := lucid.Of([]int{0, 100, -5}), lucid.Of([]int{10, 101, -5})
	x := random.RandInt(random.Key(1), low, high, []int{200, 3}, random.Options{DType: lucid.Int64})
	for i, v := range lucid.ToSlice[int](x) {
		switch j := i % 3; {
		case j == 0 && (v < 0 || v > 9), j == 1 && v != 100, j == 2 && v != -5:
			t.Fatalf("element %d is %d", i, v)
		}
	}
}

func TestRefused(t *testing.T) {
	key := random.Key(0)
	for name, c := range map[string]struct {
		want error
		f    func()
	}{
		"a key of floats": {lucid.ErrShapeMismatch, func() { random.Uniform(lucid.Zeros(2), []int{1}) }},
		"no key":          {lucid.ErrValue, func() { random.Uniform(nil, []int{1}) }},
		"width 3":         {lucid.ErrValue, func() { random.Bits(key, []int{1}, 3) }},
		"integers":        {lucid.ErrDType, func() { random.Normal(key, []int{1}, random.NormalOptions{DType: lucid.Int32}) }},
		"parameters too large": {lucid.ErrShapeMismatch, func() {
			random.Uniform(key, []int{2}, random.UniformOptions{Low: lucid.Zeros(3, 2)})
		}},
		"an empty range":         {lucid.ErrValue, func() { random.RandInt(key, 5, 5, []int{1}) }},
		"floating integers":      {lucid.ErrDType, func() { random.RandInt(key, 0, 5, []int{1}, random.Options{DType: lucid.Float32}) }},
		"no classes":             {lucid.ErrShapeMismatch, func() { random.Categorical(key, lucid.Zeros(3, 0)) }},
		"logits of no dimension": {lucid.ErrShapeMismatch, func() { random.Categorical(key, lucid.Scalar(1.0)) }},
		"a shape that is small": {lucid.ErrShapeMismatch, func() {
			random.Categorical(key, lucid.Zeros(3, 4), random.CategoricalOptions{Shape: []int{2}})
		}},
		"a permutation of text": {lucid.ErrValue, func() { random.Permutation(key, "abc") }},
		"no upper bound":        {lucid.ErrDType, func() { random.TruncatedNormal(key, -1.0, nil, []int{1}) }},
	} {
		if err := lucid.Try(c.f); !errors.Is(err, c.want) {
			t.Errorf("%s gives %v, want %v", name, err, c.want)
		}
	}
}

func Example() {
	key := random.Key(42)
	keys := random.Keys(key, 2)
	x := random.Uniform(keys[0], []int{1000})
	b := random.Bernoulli(keys[1], 0.5, []int{1000})
	fmt.Println(x.DType(), x.Shape(), b.DType())
	// Output: float32 [1000] bool
}

// TestMultivariateNormal compares the mean and the covariance of many vectors with those asked for.
func TestMultivariateNormal(t *testing.T) {
	wide := random.Options{DType: lucid.Float64}
	mean, cov := lucid.New([]float64{1, -2}, 2), lucid.New([]float64{4, 1.2, 1.2, 1}, 2, 2)
	x := random.MultivariateNormal(random.Key(5), mean, cov, []int{40000}, wide)
	if !lucid.AllClose(x.Mean(0), mean, lucid.CloseOptions{ATol: new(0.05)}) ||
		!lucid.AllClose(lucid.Cov(x.T()), cov, lucid.CloseOptions{ATol: new(0.1)}) {
		t.Errorf("mean %v, covariance %v", x.Mean(0), lucid.Cov(x.T()))
	}
	both := lucid.Stack([]*lucid.Tensor{cov, cov.Mul(100)}, 0)
	y := random.MultivariateNormal(random.Key(5), mean, both, []int{20000, 2}, wide).Sub(mean)
	if v := lucid.ToSlice[float64](y.Square().Mean(0)); v[0] < 3.8 || v[0] > 4.2 || v[3] < 95 || v[3] > 105 {
		t.Errorf("variances %v", v)
	}
	for _, c := range []struct {
		mean, cov *lucid.Tensor
		sizes     []int
		want      string
	}{{mean, cov, nil, "[2]"}, {mean, both, nil, "[2 2]"}, {mean.Expand(3, 1, 2), both, nil, "[3 2 2]"},
		{mean, cov, []int{5, 0}, "[5 0 2]"}} {
		x := random.MultivariateNormal(random.Key(1), c.mean, c.cov, c.sizes, random.Options{DType: lucid.BFloat16})
		if got := fmt.Sprint(x.Shape()); got != c.want || x.DType() != lucid.BFloat16 {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
	for want, f := range map[error]func(){
		lucid.ErrShapeMismatch: func() { random.MultivariateNormal(random.Key(1), mean, lucid.Eye(3), nil) },
		lucid.ErrSingular: func() {
			random.MultivariateNormal(random.Key(1), mean, lucid.New([]float64{1, 2, 2, 1}, 2, 2), nil, wide).Item()
		},
		lucid.ErrDType: func() { random.MultivariateNormal(random.Key(1), mean, cov, nil, random.Options{DType: lucid.Int32}) },
	} {
		if err := lucid.Try(f); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	if err := lucid.Try(func() { random.MultivariateNormal(random.Key(1), mean, both, []int{3}) }); !errors.Is(err,
		lucid.ErrShapeMismatch) {
		t.Errorf("a batch of 2 for 3 vectors: %v", err)
	}
}

// TestParameters: samplers with parameters broadcast them to the sizes, and refuse what does not fit.
func TestParameters(t *testing.T) {
	key, p := random.Key(5), lucid.New([]float32{0.5, 2, 9}, 3)
	for name, f := range map[string]func(sizes []int) *lucid.Tensor{
		"gamma":     func(s []int) *lucid.Tensor { return random.Gamma(key, p, s) },
		"beta":      func(s []int) *lucid.Tensor { return random.Beta(key, p, 2.0, s) },
		"dirichlet": func(s []int) *lucid.Tensor { return random.Dirichlet(key, p, s) },
		"von_mises": func(s []int) *lucid.Tensor { return random.VonMises(key, p, s) },
		"poisson":   func(s []int) *lucid.Tensor { return random.Poisson(key, p, s) },
		"binomial":  func(s []int) *lucid.Tensor { return random.Binomial(key, 10, p.Mul(0.1), s) },
	} {
		x := f(nil)
		if fmt.Sprint(x.Shape()) != "[3]" || x.DType() != lucid.Float32 {
			t.Errorf("%s: %v of shape %v, want float32 of shape [3]", name, x.DType(), x.Shape())
		}
		many := f([]int{4, 3})
		if fmt.Sprint(many.Shape()) != "[4 3]" || !lucid.Equal(many.At(0), x) || lucid.Equal(many.At(1), x) {
			t.Errorf("%s: %v, want rows that begin with %v", name, many, x)
		}
		if err := lucid.Try(func() { f([]int{4, 2}) }); !errors.Is(err, lucid.ErrShapeMismatch) {
			t.Errorf("%s: parameters that do not fit give %v", name, err)
		}
	}
	for name, f := range map[string]func(){
		"a string":  func() { random.Gamma(key, "two", nil) },
		"no row":    func() { random.Dirichlet(key, lucid.Scalar(1.0), nil) },
		"a bad key": func() { random.Gamma(p, p, nil) },
	} {
		if err := lucid.Try(f); err == nil {
			t.Errorf("%s is no error", name)
		}
	}
	if x := random.Gamma(key, -1.0, []int{2}); !math.IsNaN(x.At(0).Item()) {
		t.Errorf("a negative concentration gives %v, want NaN", x)
	}
}
