package lucid

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"
	"testing"
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
// a million passes, and for halves one step of the type on top.
func TestContinuous(t *testing.T) {
	const n = 50_000
	bound := 2.7 / math.Sqrt(n)
	phi := func(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }
	clip := func(x float64) float64 { return min(max(x, 0), 1) }
	for _, c := range []struct {
		name string
		draw func(w With) *Tensor
		cdf  func(float64) float64
	}{
		{"rand", func(w With) *Tensor { return w.Rand(n) }, clip},
		{"uniform", func(w With) *Tensor { return w.Uniform(-2, 3, n) }, func(x float64) float64 { return clip((x + 2) / 5) }},
		{"randn", func(w With) *Tensor { return w.Randn(n) }, phi},
		{"normal", func(w With) *Tensor { return w.Normal(1, 2, n) }, func(x float64) float64 { return phi((x - 1) / 2) }},
		{"exponential", func(w With) *Tensor { return w.Exponential(0.5, n) }, func(x float64) float64 { return 1 - math.Exp(-x/2) }},
		{"cauchy", func(w With) *Tensor { return w.Zeros(n).Cauchy_(1, 2) }, func(x float64) float64 { return 0.5 + math.Atan((x-1)/2)/math.Pi }},
		{"log_normal", func(w With) *Tensor { return w.Zeros(n).LogNormal_(0, 1) }, func(x float64) float64 { return phi(math.Log(x)) }},
	} {
		for _, d := range []DType{Float32, Float64, Float16, BFloat16} {
			Seed(11)
			v := ToSlice[float64](c.draw(With{DType: d}))
			room := map[DType]float64{Float16: 1.0 / 1024, BFloat16: 1.0 / 128}[d]
			if far := distance(v, c.cdf); far > bound+room {
				t.Errorf("%s %v: distance %.4f, want below %.4f", c.name, d, far, bound+room)
			}
			if c.name == "rand" && (v[0] < 0 || v[n-1] >= 1) {
				t.Errorf("rand %v: from %v to %v, want [0, 1)", d, v[0], v[n-1])
			}
		}
	}
	z := ToSlice[complex128](With{DType: Complex64, Generator: NewGenerator(3)}.Randn(n))
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
			t.Errorf("%s: %v were drawn", name, count)
		}
		df := float64(len(p))
		if chi > df+6*math.Sqrt(2*df) {
			t.Errorf("%s: chi-squared %.1f for %v classes", name, chi, df)
		}
	}
	g := With{Generator: NewGenerator(5)}
	sixth := map[int]float64{}
	for i := -2; i < 4; i++ {
		sixth[i] = 1.0 / 6
	}
	check("randint", ToSlice[int](g.RandInt(-2, 4, n)), sixth)
	p := New([]float32{0.2}, 1).BroadcastTo(n)
	check("bernoulli", ToSlice[int](g.Bernoulli(p)), map[int]float64{0: 0.8, 1: 0.2})
	rate := With{}.Full([]int{n}, 2.0)
	check("poisson", ToSlice[int](g.Poisson(rate)), map[int]float64{0: math.Exp(-2), 1: 2 * math.Exp(-2), 2: 2 * math.Exp(-2), 3: 4.0 / 3 * math.Exp(-2)})
	two := With{}.Full([]int{n}, 2.0)
	check("binomial", ToSlice[int](g.Binomial(two, p)), map[int]float64{0: 0.64, 1: 0.32, 2: 0.04})
	check("geometric", ToSlice[int](Zeros(n).Geometric_(0.3)), map[int]float64{1: 0.3, 2: 0.21, 3: 0.147})
	w := New([]float32{1, 0, 3}, 3)
	check("multinomial", ToSlice[int](g.Multinomial(w, n, MultinomialOptions{Replacement: true})), map[int]float64{0: 0.25, 2: 0.75})
	rows := New([]float32{1, 2, 1}, 1, 3).BroadcastTo(n, 3)
	one := ToSlice[int](g.Multinomial(rows, 1))
	check("multinomial without replacement", one, map[int]float64{0: 0.25, 1: 0.5, 2: 0.25})
	all := ToSlice[int](g.Multinomial(rows, 3))
	for i := 0; i < len(all); i += 3 {
		if all[i]+all[i+1]+all[i+2] != 3 || all[i] == all[i+1] {
			t.Fatalf("three of three classes are %v", all[i:i+3])
		}
	}
	perms := map[string]int{}
	for range 600 {
		perms[fmt.Sprint(ToSlice[int](g.RandPerm(3)))]++
	}
	for k, v := range perms {
		if len(perms) != 6 || v < 60 || v > 145 {
			t.Errorf("permutation %s came %d times of 600", k, v)
		}
	}
	big := ToSlice[int](g.RandPerm(10_000))
	sort.Ints(big)
	for i, v := range big {
		if i != v {
			t.Fatalf("a permutation holds %d in place of %d", v, i)
		}
	}
}

func TestRandIntRange(t *testing.T) {
	g := With{Generator: NewGenerator(9)}
	spread := func(name string, v []float64) {
		t.Helper()
		if far := distance(v, func(x float64) float64 { return x }); far > 2.7/math.Sqrt(float64(len(v))) {
			t.Errorf("%s: distance %.4f", name, far)
		}
	}
	var v []float64
	for _, x := range ToSlice[int64](g.RandInt(math.MinInt64, math.MaxInt64, 20_000)) {
		v = append(v, (float64(x)+math.Ldexp(1, 63))/math.Ldexp(1, 64))
	}
	spread("all of int64", v)
	v = nil
	odd := 0
	for _, x := range ToSlice[uint64](With{DType: Uint64, Generator: g.Generator}.RandInt(0, uint64(math.MaxUint64), 20_000)) {
		v = append(v, float64(x)/math.Ldexp(1, 64))
		odd += int(x & 1)
	}
	spread("all of uint64", v)
	if odd < 9500 || odd > 10500 {
		t.Errorf("%d of 20000 are odd: low bits are not random", odd)
	}
	v = nil
	const wide = 3 << 61 // without rejection a part of this range would be twice as likely
	for _, x := range ToSlice[int64](g.RandInt(0, wide, 20_000)) {
		v = append(v, float64(x)/wide)
	}
	spread("3·2⁶¹", v)
	for _, d := range []DType{Uint8, Uint16, Uint32, Uint64, Int8, Int16, Int32, Int64, Float32} {
		x := With{DType: d, Generator: g.Generator}.RandInt(3, 100, 500)
		s := ToSlice[int](x)
		if x.DType() != d || slices.Min(s) < 3 || slices.Max(s) > 99 {
			t.Errorf("%v: from %d to %d", x.DType(), slices.Min(s), slices.Max(s))
		}
		ToSlice[float64](With{DType: d}.Zeros(4).Random_())
	}
	if x := ToSlice[int](With{DType: Int8}.Zeros(3000).Random_()); slices.Min(x) != 0 || slices.Max(x) != 127 {
		t.Errorf("Random_ of int8: from %d to %d", slices.Min(x), slices.Max(x))
	}
	refuses(t, ErrValue, "an empty range", func() { RandInt(3, 3, 2) })
	refuses(t, ErrValue, "300 as int8", func() { With{DType: Int8}.RandInt(0, 300, 2) })
	refuses(t, ErrValue, "-1 as uint8", func() { With{DType: Uint8}.RandInt(-1, 3, 2) })
}

func TestGeneratorState(t *testing.T) {
	Seed(42)
	if InitialSeed() != 42 {
		t.Errorf("the seed is %d", InitialSeed())
	}
	a := ToSlice[float32](Randn(5))
	state := GetRNGState()
	b := ToSlice[float32](Randn(5))
	SetRNGState(state)
	if c := ToSlice[float32](Randn(5)); !slices.Equal(b, c) {
		t.Errorf("after restoring: %v, want %v", c, b)
	}
	Seed(42)
	if c := ToSlice[float32](Randn(5)); !slices.Equal(a, c) || slices.Equal(a, b) {
		t.Errorf("after seeding again: %v, want %v", c, a)
	}
	g, h := NewGenerator(42), NewGenerator(42)
	ga := ToSlice[float32](With{Generator: g}.Randn(5))
	if !slices.Equal(ga, a) {
		t.Error("a generator of the same seed draws the same")
	}
	h.SetState(g.State())
	if x, y := ToSlice[float32](With{Generator: g}.Rand(3)), ToSlice[float32](With{Generator: h}.Rand(3)); !slices.Equal(x, y) {
		t.Errorf("%v and %v from one state", x, y)
	}
	// A state that is still to be computed takes the long way, with the same numbers.
	h.SetState(g.State().Add(New([]uint32{0, 0}, 2)).To(Uint32))
	if x, y := ToSlice[float32](With{Generator: g}.Rand(3)), ToSlice[float32](With{Generator: h}.Rand(3)); !slices.Equal(x, y) {
		t.Errorf("%v and %v from one pending state", x, y)
	}
	refuses(t, ErrValue, "a state of another shape", func() { g.SetState(Zeros(3)) })
}

// TestGeneratorHammer draws from one generator in many goroutines: no two may get the same key.
func TestGeneratorHammer(t *testing.T) {
	g := NewGenerator(1)
	var mu sync.Mutex
	seen := map[string]bool{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 100 {
				var v string
				switch i % 3 {
				case 0:
					v = fmt.Sprint(ToSlice[uint32](g.Key()))
				case 1:
					v = fmt.Sprint(ToSlice[float32](With{Generator: g}.Rand(4)))
				default:
					v = fmt.Sprint(ToSlice[float32](With{Generator: g}.Randn(4)))
				}
				mu.Lock()
				if seen[v] {
					t.Errorf("%s was drawn twice", v)
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
		w := With{Generator: NewGenerator(8), DType: Float64}
		rate := Linspace(0, 50, 3001)
		out := [][]float64{
			ToSlice[float64](w.Rand(70_001)), ToSlice[float64](w.RandInt(-7, 1<<40, 3001)), ToSlice[float64](With{Generator: w.Generator}.Poisson(rate)),
			ToSlice[float64](With{Generator: w.Generator}.Binomial(rate, FullLike(rate, 0.3))), ToSlice[float64](Arange(0.1, 7001.1, 0.7)), ToSlice[float64](With{DType: Uint8}.Arange(0, 200)),
		}
		return out
	}
	got := draw()
	var want [][]float64
	WithDevice(Device{Type: "ref"}, func() { want = draw() })
	for i := range got {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("draw %d differs from the reference", i)
		}
	}
}

func TestRandomLike(t *testing.T) {
	x := With{DType: BFloat16}.Zeros(2, 3)
	for _, y := range []*Tensor{RandLike(x), RandnLike(x), RandIntLike(x, 0, 5), With{Generator: NewGenerator(1)}.RandLike(x)} {
		if y.DType() != BFloat16 || !slices.Equal(y.Shape(), []int{2, 3}) {
			t.Errorf("%v %v", y.DType(), y.Shape())
		}
	}
	x.Normal_(3, 0)
	if fmt.Sprint(ToSlice[float32](x)) != "[3 3 3 3 3 3]" {
		t.Errorf("a standard deviation of 0: %v", x)
	}
	mean := New([]float32{10, 20}, 2).RequiresGrad_(true)
	y := Normal(mean, New([]float32{0.001, 0.001}, 2))
	y.Sum().Backward()
	if v := ToSlice[float32](y); math.Abs(float64(v[1]-20)) > 0.1 || fmt.Sprint(ToSlice[float32](mean.Grad())) != "[1 1]" {
		t.Errorf("normal of tensors: %v, gradient %v", v, mean.Grad())
	}
	refuses(t, ErrValue, "a negative deviation", func() { Normal(0, -1, 2) })
	refuses(t, ErrDType, "integers uniform", func() { With{DType: Int32}.Rand(2) })
	refuses(t, ErrValue, "too many without replacement", func() { Multinomial(Ones(3), 4) })
}

// TestRandomErrorsNameTheCall asks for what cannot be: the error has the name of what was called, not of what it is written with.
func TestRandomErrorsNameTheCall(t *testing.T) {
	ints := With{DType: Int32}
	for want, f := range map[string]func(){
		"rand": func() { ints.Rand(2) }, "rand_like": func() { RandLike(ints.Zeros(2)) }, "uniform": func() { ints.Uniform(0, 1, 2) },
		"randn": func() { ints.Randn(2) }, "randn_like": func() { RandnLike(ints.Zeros(2)) }, "randint": func() { RandInt(0, 3, -1) },
	} {
		func() {
			defer func() {
				if e, ok := recover().(*Error); !ok || e.Op != want {
					t.Errorf("%s: panics with %v", want, e)
				}
			}()
			f()
		}()
	}
}

// TestGeneratorCompiled draws inside a compiled function: its calls move the generator on as plain calls do.
func TestGeneratorCompiled(t *testing.T) {
	f := func(x *Tensor) *Tensor { return x.Add(Randn(4)).Add(RandLike(x)) }
	x := Zeros(4)
	Seed(6)
	var want []float32
	for range 3 {
		want = append(want, ToSlice[float32](f(x))...)
	}
	after := ToSlice[float32](Rand(2))
	Seed(6)
	g := Compile(f)
	var got []float32
	for range 3 {
		got = append(got, ToSlice[float32](g(x))...)
	}
	for i := range got {
		if math.Abs(float64(got[i]-want[i])) > 1e-6 {
			t.Fatalf("compiled: %v, plain: %v", got, want)
		}
	}
	if next := ToSlice[float32](Rand(2)); !slices.Equal(next, after) {
		t.Errorf("after compiled calls the generator gives %v, want %v", next, after)
	}
}
