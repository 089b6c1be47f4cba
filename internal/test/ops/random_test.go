package ops

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// distance is the largest difference between the distribution of the numbers and cdf (Kolmogorov and Smirnov).
func distance(v []float64, cdf func(float64) float64) float64 {
	sort.Float64s(v)
	far := 0.0
	for i, x := range v {
		p := cdf(x)
		far = max(far, math.Abs(p-float64(i)/float64(len(v))), math.Abs(p-float64(i+1)/float64(len(v))))
	}
	return far
}

// TestContinuous compares samples with their laws. For a fixed seed it is not random; the bound is what one sample in
// a million passes, and for half types one step of the type on top.
func TestContinuous(t *testing.T) {
	const n = 50_000
	bound := 2.7 / math.Sqrt(n)
	phi := func(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }
	clip := func(x float64) float64 { return min(max(x, 0), 1) }
	for _, c := range []struct {
		name string
		draw func(w lucid.With) *lucid.Tensor
		cdf  func(float64) float64
	}{
		{"rand", func(w lucid.With) *lucid.Tensor { return w.Rand(n) }, clip},
		{"uniform", func(w lucid.With) *lucid.Tensor { return w.Uniform(-2, 3, n) }, func(x float64) float64 { return clip((x + 2) / 5) }},
		{"randn", func(w lucid.With) *lucid.Tensor { return w.Randn(n) }, phi},
		{"normal", func(w lucid.With) *lucid.Tensor { return w.Normal(1, 2, n) }, func(x float64) float64 { return phi((x - 1) / 2) }},
		{"exponential", func(w lucid.With) *lucid.Tensor { return w.Exponential(0.5, n) },
			func(x float64) float64 { return 1 - math.Exp(-x/2) }},
		{"cauchy", func(w lucid.With) *lucid.Tensor { return w.Zeros(n).Cauchy_(1, 2) },
			func(x float64) float64 { return 0.5 + math.Atan((x-1)/2)/math.Pi }},
		{"log_normal", func(w lucid.With) *lucid.Tensor { return w.Zeros(n).LogNormal_(0, 1) },
			func(x float64) float64 { return phi(math.Log(x)) }},
	} {
		for _, d := range []lucid.DType{lucid.Float32, lucid.Float64, lucid.Float16, lucid.BFloat16} {
			lucid.Seed(11)
			v := lucid.ToSlice[float64](c.draw(lucid.With{DType: d}))
			room := map[lucid.DType]float64{lucid.Float16: 1.0 / 1024, lucid.BFloat16: 1.0 / 128}[d]
			if far := distance(v, c.cdf); far > bound+room {
				t.Errorf("%s %v: distance %.4f, want below %.4f", c.name, d, far, bound+room)
			}
			if c.name == "rand" && (v[0] < 0 || v[n-1] >= 1) {
				t.Errorf("rand %v: from %v to %v, want [0, 1)", d, v[0], v[n-1])
			}
		}
	}
	z := lucid.ToSlice[complex128](lucid.With{DType: lucid.Complex64, Generator: lucid.NewGenerator(3)}.Randn(n))
	power := 0.0
	for _, v := range z {
		power += real(v)*real(v) + imag(v)*imag(v)
	}
	if math.Abs(power/n-1) > 0.03 {
		t.Errorf("a complex normal has variance %.3f, want 1", power/n)
	}
}

// TestDiscrete compares frequencies with probabilities: chi-squared per degree of freedom.
func TestDiscrete(t *testing.T) {
	const n = 60_000
	check := func(name string, v []int, p map[int]float64) {
		t.Helper()
		count, total := map[int]int{}, 0.0
		for _, x := range v {
			count[x]++
		}
		chi := 0.0
		for k, q := range p {
			e := q * float64(len(v))
			chi += (float64(count[k]) - e) * (float64(count[k]) - e) / e
			total += q
			delete(count, k)
		}
		if total > 0.9999999 && len(count) > 0 {
			t.Errorf("%s: %v were sampled", name, count)
		}
		df := float64(len(p))
		if chi > df+6*math.Sqrt(2*df) {
			t.Errorf("%s: chi-squared %.1f for %v classes", name, chi, df)
		}
	}
	g := lucid.With{Generator: lucid.NewGenerator(5)}
	sixth := map[int]float64{}
	for i := -2; i < 4; i++ {
		sixth[i] = 1.0 / 6
	}
	check("randint", lucid.ToSlice[int](g.RandInt(-2, 4, n)), sixth)
	p := lucid.New([]float32{0.2}, 1).BroadcastTo(n)
	check("bernoulli", lucid.ToSlice[int](g.Bernoulli(p)), map[int]float64{0: 0.8, 1: 0.2})
	rate := lucid.With{}.Full([]int{n}, 2.0)
	check("poisson", lucid.ToSlice[int](g.Poisson(rate)), map[int]float64{0: math.Exp(-2), 1: 2 * math.Exp(-2), 2: 2 * math.Exp(-2),
		3: 4.0 / 3 * math.Exp(-2)})
	two := lucid.With{}.Full([]int{n}, 2.0)
	check("binomial by the default generator", lucid.ToSlice[int](lucid.Binomial(two, p)), map[int]float64{0: 0.64, 1: 0.32, 2: 0.04})
	check("binomial", lucid.ToSlice[int](g.Binomial(two, p)), map[int]float64{0: 0.64, 1: 0.32, 2: 0.04})
	check("geometric", lucid.ToSlice[int](lucid.Zeros(n).Geometric_(0.3)), map[int]float64{1: 0.3, 2: 0.21, 3: 0.147})
	w := lucid.New([]float32{1, 0, 3}, 3)
	check("multinomial", lucid.ToSlice[int](g.Multinomial(w, n, lucid.MultinomialOptions{Replacement: true})),
		map[int]float64{0: 0.25, 2: 0.75})
	rows := lucid.New([]float32{1, 2, 1}, 1, 3).BroadcastTo(n, 3)
	one := lucid.ToSlice[int](g.Multinomial(rows, 1))
	check("multinomial without replacement", one, map[int]float64{0: 0.25, 1: 0.5, 2: 0.25})
	all := lucid.ToSlice[int](g.Multinomial(rows, 3))
	for i := 0; i < len(all); i += 3 {
		if all[i]+all[i+1]+all[i+2] != 3 || all[i] == all[i+1] {
			t.Fatalf("three of three classes are %v", all[i:i+3])
		}
	}
	perms := map[string]int{}
	for range 600 {
		perms[fmt.Sprint(lucid.ToSlice[int](g.RandPerm(3)))]++
	}
	for k, v := range perms {
		if len(perms) != 6 || v < 60 || v > 145 {
			t.Errorf("permutation %s came %d times of 600", k, v)
		}
	}
	big := lucid.ToSlice[int](g.RandPerm(10_000))
	sort.Ints(big)
	for i, v := range big {
		if i != v {
			t.Fatalf("a permutation holds %d in place of %d", v, i)
		}
	}
}

func TestRandIntRange(t *testing.T) {
	g := lucid.With{Generator: lucid.NewGenerator(9)}
	spread := func(name string, v []float64) {
		t.Helper()
		if far := distance(v, func(x float64) float64 { return x }); far > 2.7/math.Sqrt(float64(len(v))) {
			t.Errorf("%s: distance %.4f", name, far)
		}
	}
	var v []float64
	for _, x := range lucid.ToSlice[int64](g.RandInt(math.MinInt64, math.MaxInt64, 20_000)) {
		v = append(v, (float64(x)+math.Ldexp(1, 63))/math.Ldexp(1, 64))
	}
	spread("all of int64", v)
	v = nil
	odd := 0
	for _, x := range lucid.ToSlice[uint64](lucid.With{DType: lucid.Uint64, Generator: g.Generator}.RandInt(0,
		uint64(math.MaxUint64), 20_000)) {
		v = append(v, float64(x)/math.Ldexp(1, 64))
		odd += int(x & 1)
	}
	spread("all of uint64", v)
	if odd < 9500 || odd > 10500 {
		t.Errorf("%d of 20000 are odd: low bits are not random", odd)
	}
	v = nil
	const wide = 3 << 61 // without rejection a part of this range would be twice as likely
	for _, x := range lucid.ToSlice[int64](g.RandInt(0, wide, 20_000)) {
		v = append(v, float64(x)/wide)
	}
	spread("3·2⁶¹", v)
	for _, d := range []lucid.DType{lucid.Uint8, lucid.Uint16, lucid.Uint32, lucid.Uint64, lucid.Int8, lucid.Int16, lucid.Int32,
		lucid.Int64, lucid.Float32} {
		x := lucid.With{DType: d, Generator: g.Generator}.RandInt(3, 100, 500)
		s := lucid.ToSlice[int](x)
		if x.DType() != d || slices.Min(s) < 3 || slices.Max(s) > 99 {
			t.Errorf("%v: from %d to %d", x.DType(), slices.Min(s), slices.Max(s))
		}
		lucid.ToSlice[float64](lucid.With{DType: d}.Zeros(4).Random_())
	}
	if x := lucid.ToSlice[int](lucid.With{DType: lucid.Int8}.Zeros(3000).Random_()); slices.Min(x) != 0 || slices.Max(x) != 127 {
		t.Errorf("Random_ of int8: from %d to %d", slices.Min(x), slices.Max(x))
	}
	tensortest.Refuses(t, lucid.ErrValue, "an empty range", func() { lucid.RandInt(3, 3, 2) })
	tensortest.Refuses(t, lucid.ErrValue, "300 as int8", func() { lucid.With{DType: lucid.Int8}.RandInt(0, 300, 2) })
	tensortest.Refuses(t, lucid.ErrValue, "-1 as uint8", func() { lucid.With{DType: lucid.Uint8}.RandInt(-1, 3, 2) })
}

func TestGeneratorState(t *testing.T) {
	lucid.Seed(42)
	if lucid.InitialSeed() != 42 {
		t.Errorf("the seed is %d", lucid.InitialSeed())
	}
	a := lucid.ToSlice[float32](lucid.Randn(5))
	state := lucid.GetRNGState()
	b := lucid.ToSlice[float32](lucid.Randn(5))
	lucid.SetRNGState(state)
	if c := lucid.ToSlice[float32](lucid.Randn(5)); !slices.Equal(b, c) {
		t.Errorf("after restoring: %v, want %v", c, b)
	}
	lucid.Seed(42)
	if c := lucid.ToSlice[float32](lucid.Randn(5)); !slices.Equal(a, c) || slices.Equal(a, b) {
		t.Errorf("after seeding again: %v, want %v", c, a)
	}
	g, h := lucid.NewGenerator(42), lucid.NewGenerator(42)
	ga := lucid.ToSlice[float32](lucid.With{Generator: g}.Randn(5))
	if !slices.Equal(ga, a) {
		t.Error("a generator of the same seed draws the same")
	}
	h.SetState(g.State())
	if x, y := lucid.ToSlice[float32](lucid.With{Generator: g}.Rand(3)),
		lucid.ToSlice[float32](lucid.With{Generator: h}.Rand(3)); !slices.Equal(x, y) {
		t.Errorf("%v and %v from one state", x, y)
	}
	// A state that is still to be computed takes the long way, with the same numbers.
	h.SetState(g.State().Add(lucid.New([]uint32{0, 0}, 2)).To(lucid.Uint32))
	if x, y := lucid.ToSlice[float32](lucid.With{Generator: g}.Rand(3)),
		lucid.ToSlice[float32](lucid.With{Generator: h}.Rand(3)); !slices.Equal(x, y) {
		t.Errorf("%v and %v from one pending state", x, y)
	}
	tensortest.Refuses(t, lucid.ErrValue, "a state of another shape", func() { g.SetState(lucid.Zeros(3)) })
}

// TestGeneratorHammer draws from one generator in many goroutines: no two may get the same key.
func TestGeneratorHammer(t *testing.T) {
	g := lucid.NewGenerator(1)
	var mu sync.Mutex
	seen := map[string]bool{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 100 {
				var v string
				switch i % 3 {
				case 0:
					v = fmt.Sprint(lucid.ToSlice[uint32](g.Key()))
				case 1:
					v = fmt.Sprint(lucid.ToSlice[float32](lucid.With{Generator: g}.Rand(4)))
				default:
					v = fmt.Sprint(lucid.ToSlice[float32](lucid.With{Generator: g}.Randn(4)))
				}
				mu.Lock()
				if seen[v] {
					t.Errorf("%s was sampled twice", v)
				}
				seen[v] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

// TestRandomLikeRef compares the device's random kernels with the reference's.
func TestRandomLikeRef(t *testing.T) {
	draw := func() [][]float64 {
		w := lucid.With{Generator: lucid.NewGenerator(8), DType: lucid.Float64}
		rate := lucid.Linspace(0, 50, 3001)
		out := [][]float64{
			lucid.ToSlice[float64](w.Rand(70_001)), lucid.ToSlice[float64](w.RandInt(-7, 1<<40, 3001)),
			lucid.ToSlice[float64](lucid.With{Generator: w.Generator}.Poisson(rate)),
			lucid.ToSlice[float64](lucid.With{Generator: w.Generator}.Binomial(rate, lucid.FullLike(rate, 0.3))),
			lucid.ToSlice[float64](lucid.Arange(0.1, 7001.1, 0.7)), lucid.ToSlice[float64](lucid.With{DType: lucid.Uint8}.Arange(0, 200)),
		}
		return out
	}
	got := draw()
	var want [][]float64
	lucid.WithDevice(lucid.Device{Type: "ref"}, func() { want = draw() })
	for i := range got {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("draw %d differs from the reference", i)
		}
	}
}

func TestRandomLike(t *testing.T) {
	x := lucid.With{DType: lucid.BFloat16}.Zeros(2, 3)
	for _, y := range []*lucid.Tensor{lucid.RandLike(x), lucid.RandnLike(x), lucid.RandIntLike(x, 0, 5),
		lucid.With{Generator: lucid.NewGenerator(1)}.RandLike(x)} {
		if y.DType() != lucid.BFloat16 || !slices.Equal(y.Shape(), []int{2, 3}) {
			t.Errorf("%v %v", y.DType(), y.Shape())
		}
	}
	x.Normal_(3, 0)
	if fmt.Sprint(lucid.ToSlice[float32](x)) != "[3 3 3 3 3 3]" {
		t.Errorf("a standard deviation of 0: %v", x)
	}
	mean := lucid.New([]float32{10, 20}, 2).RequiresGrad_(true)
	y := lucid.Normal(mean, lucid.New([]float32{0.001, 0.001}, 2))
	y.Sum().Backward()
	if v := lucid.ToSlice[float32](y); math.Abs(float64(v[1]-20)) > 0.1 || fmt.Sprint(lucid.ToSlice[float32](mean.Grad())) != "[1 1]" {
		t.Errorf("normal of tensors: %v, gradient %v", v, mean.Grad())
	}
	tensortest.Refuses(t, lucid.ErrValue, "a negative deviation", func() { lucid.Normal(0, -1, 2) })
	tensortest.Refuses(t, lucid.ErrDType, "integers uniform", func() { lucid.With{DType: lucid.Int32}.Rand(2) })
	tensortest.Refuses(t, lucid.ErrValue, "too many without replacement", func() { lucid.Multinomial(lucid.Ones(3), 4) })
}

// TestRandomErrorsNameTheCall asks for what cannot be: the error has the name of what was called, not of what it is written with.
func TestRandomErrorsNameTheCall(t *testing.T) {
	ints := lucid.With{DType: lucid.Int32}
	for want, f := range map[string]func(){
		"rand": func() { ints.Rand(2) }, "rand_like": func() { lucid.RandLike(ints.Zeros(2)) }, "uniform": func() { ints.Uniform(0, 1, 2) },
		"randn": func() { ints.Randn(2) }, "randn_like": func() { lucid.RandnLike(ints.Zeros(2)) },
		"randint": func() { lucid.RandInt(0, 3, -1) },
	} {
		func() {
			defer func() {
				if e, ok := recover().(*lucid.Error); !ok || e.Op != want {
					t.Errorf("%s: panics with %v", want, e)
				}
			}()
			f()
		}()
	}
}

// TestGeneratorCompiled draws inside a compiled function: its calls move the generator on as plain calls do.
func TestGeneratorCompiled(t *testing.T) {
	f := func(x *lucid.Tensor) *lucid.Tensor { return x.Add(lucid.Randn(4)).Add(lucid.RandLike(x)) }
	x := lucid.Zeros(4)
	lucid.Seed(6)
	var want []float32
	for range 3 {
		want = append(want, lucid.ToSlice[float32](f(x))...)
	}
	after := lucid.ToSlice[float32](lucid.Rand(2))
	lucid.Seed(6)
	g := lucid.Compile(f)
	var got []float32
	for range 3 {
		got = append(got, lucid.ToSlice[float32](g(x))...)
	}
	for i := range got {
		if math.Abs(float64(got[i]-want[i])) > 1e-6 {
			t.Fatalf("compiled: %v, plain: %v", got, want)
		}
	}
	if next := lucid.ToSlice[float32](lucid.Rand(2)); !slices.Equal(next, after) {
		t.Errorf("after compiled calls the generator gives %v, want %v", next, after)
	}
}
