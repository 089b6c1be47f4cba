package simd

import (
	"fmt"
	"math"
	"testing"

	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/backend/threefry"
)

func TestRandom(t *testing.T) {
	const k0, k1 = 0x12345678, -0x3456789
	const k2 = k0 ^ k1 ^ 0x1BD11BDA
	for name, first := range map[string]bool{"Threefry/first": true, "Threefry/second": false} {
		of := func(f func(z, y []int32, k0, k1, k2 int32)) func(z, x, y []int32) {
			return func(z, x, y []int32) {
				a, b := append([]int32(nil), x...), append([]int32(nil), y...)
				if f(a, b, k0, k1, k2); !first {
					a = b
				}
				copy(z, a)
			}
		}
		testBinary(t, name, of(Threefry), of(threefryGeneric))
	}
	x, y := []int32{7, -1, 0}, []int32{9, 3, math.MinInt32}
	for i := range x {
		a, b := threefry.Hash(k0, uint32(k1&math.MaxUint32), uint32(x[i]), uint32(y[i]))
		z, w := x[i:i+1:i+1], y[i:i+1:i+1]
		if Threefry(z, w, k0, k1, k2); uint32(z[0]) != a || uint32(w[0]) != b {
			t.Errorf("hash %d is %x %x, want %x %x", i, z[0], w[0], a, b)
		}
	}
	for i := range 4 {
		of := func(f func(z, y, v, w, at []int32, p, q, r, s, m, k0, k1, k2 int32)) func(z, x []int32) {
			return func(z, x []int32) {
				all := [4][]int32{clone(t, x), clone(t, x), clone(t, x), clone(t, x)}
				f(all[i], all[(i+1)%4], all[(i+2)%4], all[(i+3)%4], clone(t, x), k0+3, k1+4, k0+5, k1+6, int32(-i%2), k0, k1, k2)
				copy(z, all[0])
			}
		}
		testUnary(t, fmt.Sprint("ThreefryRuns/", i), of(ThreefryRuns), of(threefryRunsGeneric))
	}
	at, out := []int32{5, 6}, make([]int32, 8)
	ThreefryRuns(out[:2], out[2:4], out[4:6], out[6:], at, 10+k0, 20+k1, 30+k0, 40+k1, -1, k0, k1, k2)
	a, b := threefry.Hash(k0, uint32(k1&math.MaxUint32), 16, 26)
	c, d := threefry.Hash(k0, uint32(k1&math.MaxUint32), 36, 46)
	if uint32(out[1]) != a || uint32(out[3]) != b || uint32(out[5]) != c || uint32(out[7]) != d {
		t.Errorf("hashes of runs are %x, want %x %x %x %x", out, a, b, c, d)
	}
	testUnary(t, "ErfinvF32", ErfinvF32, erfinvF32Generic)
	testUnary(t, "ErfinvF64", ErfinvF64, erfinvF64Generic)
}

// TestGammaFirst holds the kernel and its twin against package threefry, for all lengths of the last vector.
func TestGammaFirst(t *testing.T) {
	const most = 67
	ends := threefry.LayerEnds()
	var alpha, near, far [most]float64
	var x0, y0, x1, y1 [most]uint32
	undecided := 0
	asmvariant.ForEach(t, "simd", func(name string) {
		for round := range 40 {
			for i := range alpha {
				alpha[i] = float64(i%9) / 4 // also 0
				x0[i], y0[i] = threefry.Hash(3, 4, uint32(i), uint32(2*round))
				x1[i], y1[i] = threefry.Hash(3, 4, uint32(i), uint32(2*round+1))
				near[i], far[i] = ends[y0[i]&255], ends[y0[i]&255+1]
			}
			n := 1 + (round*7)%most
			got, want := clone(t, alpha[:n]), make([]float64, n)
			GammaFirst(got, clone(t, alpha[:n]), clone(t, x0[:n]), clone(t, y0[:n]), clone(t, x1[:n]), clone(t, y1[:n]), clone(t, near[:n]),
				clone(t, far[:n]))
			gammaFirstGeneric(want, alpha[:n], x0[:n], y0[:n], x1[:n], y1[:n], near[:n], far[:n])
			for i, v := range got {
				var g threefry.GammaSampler
				g.Set(alpha[i])
				s := threefry.Element(3, 4, uint64(i))
				s.Start(3, 4, uint64(i), uint64(x0[i])<<32|uint64(y0[i]), uint64(x1[i])<<32|uint64(y1[i]), 0, 2)
				switch {
				case math.Float64bits(v) != math.Float64bits(want[i]):
					t.Fatalf("%s: element %d of %d is %v, that of the twin %v", name, i, n, v, want[i])
				case v != v:
					undecided++
				case !g.Usual():
					t.Fatalf("%s: the concentration %v gives %v", name, alpha[i], v)
				case v != g.AtLeastOne(&s):
					t.Fatalf("%s: element %d of %d is %v, not that of package threefry", name, i, n, v)
				}
			}
		}
	})
	if undecided == 0 {
		t.Error("no attempt was left undecided")
	}
}

// erfinvTable was computed with 40 digits by mpmath 1.3.
var erfinvTable = [][2]float64{
	{0.0, 0},
	{1e-300, 8.8622692545275803586e-301},
	{1e-09, 8.8622692545275806908e-10},
	{0.1, 0.088855990494257691974},
	{0.25, 0.22531205501217810473},
	{0.5, 0.47693627620446987338},
	{0.7, 0.73286907795921678488},
	{0.84999, 1.0178774891443060984},
	{0.85, 1.0179024648320275882},
	{0.85001, 1.0179274417897184598},
	{0.9, 1.1630871536766741628},
	{0.95, 1.3859038243496776766},
	{0.99, 1.8213863677184494559},
	{0.999, 2.3267537655135244939},
	{0.9999809265136719, 3.023213517222117004},
	{0.9999998956918716, 3.7611392118798897701},
	{0.9999999990686774, 4.3280282758009464554},
	{0.9999999999417923, 4.6303256750299635238},
	{0.6229016948897019, 0.6245558698312522589},
	{0.7417869892607294, 0.7994725201687880894},
	{0.7951935655656966, 0.8965946001816002535},
	{0.9424502837770503, 1.3428751640909032799},
	{0.7398985747399307, 0.79630931738996529465},
	{0.922324996665417, 1.2475757275882614384},
	{0.029005228283614737, 0.025710878546369905597},
	{0.46562265437810535, 0.43935221708598698046},
	{0.9433567169983137, 1.3477832560766543638},
	{0.6489745531369242, 0.65944927159142469471},
	{0.9009004917506227, 1.1661852243985330204},
	{0.11320596465314436, 0.10066517218125060151},
	{0.46906904778216374, 0.44306288116849552506},
	{0.24657283261983032, 0.22211892627641068483},
	{0.9999456239140764, 2.8538650486119988912},
	{0.9999986885810411, 3.4209935899859898994},
	{0.9995918489450255, 2.4994503055993345316},
	{0.9999999083654628, 3.777772270017479777},
	{0.9984039578764197, 2.2320738492461094604},
	{0.9999999986123258, 4.2828770104842407199},
	{0.9873300767449731, 1.7627569831920579586},
	{0.9027662710313463, 1.1726764997493500165},
	{0.9999790543617505, 3.0084313298077268615},
	{0.9990398728997825, 2.3348363465845856771},
	{0.9999912759223456, 3.1442197740531710261},
	{0.9999686348632265, 2.943912800495036077},
}

func TestErfinvTable(t *testing.T) {
	for _, p := range erfinvTable {
		for _, sign := range []float64{1, -1} {
			x, z := []float64{sign * p[0]}, make([]float64, 1)
			ErfinvF64(z, x)
			if ulp := math.Nextafter(p[1], math.Inf(1)) - p[1]; math.Abs(z[0]-sign*p[1]) > 2*ulp {
				t.Errorf("erfinv(%v) is %v, want %v", x[0], z[0], sign*p[1])
			}
			f, g := []float32{float32(x[0])}, make([]float32, 1)
			ErfinvF32(g, f)
			ErfinvF64(z, []float64{float64(f[0])})
			if want := float32(z[0]); g[0] != want && g[0] != math.Nextafter32(want, 9) && g[0] != math.Nextafter32(want, -9) {
				t.Errorf("erfinv(%v) is %v, want %v", f[0], g[0], want)
			}
		}
	}
	for x, want := range map[float64]float64{1: math.Inf(1), -1: math.Inf(-1), 2: math.NaN(), -3: math.NaN(),
		1 - 0x1p-50: math.Erfinv(1 - 0x1p-50)} {
		z := make([]float64, 1)
		if ErfinvF64(z, []float64{x}); z[0] != want && want == want || want != want && z[0] == z[0] {
			t.Errorf("erfinv(%v) is %v, want %v", x, z[0], want)
		}
	}
}

// TestCountFirst holds the kernel against its twin and against the formula, for all lengths of the last vector.
func TestCountFirst(t *testing.T) {
	const a, b, c, d, alpha, quick = 0.53, 12.7, 30.5, 0.25, 14.8, 0.59
	kinds := map[bool]int{}
	asmvariant.ForEach(t, "simd", func(name string) {
		for n := range 40 {
			var words [4][]uint32
			for i := range n {
				for j := range 2 {
					x, y := threefry.Hash(5, 6, uint32(i), uint32(2*n+j))
					words[2*j], words[2*j+1] = append(words[2*j], x), append(words[2*j+1], y)
				}
			}
			for j := range words {
				words[j] = clone(t, words[j])
			}
			k, s, k2, s2 := clone(t, make([]float64, n)), clone(t, make([]float64, n)), make([]float64, n), make([]float64, n)
			CountFirst(k, s, words[0], words[1], words[2], words[3], a, b, c, d, alpha, quick)
			countFirstGeneric(k2, s2, words[0], words[1], words[2], words[3], a, b, c, d, alpha, quick)
			for i := range k {
				if k[i] != k2[i] || s[i] != s2[i] {
					t.Fatalf("%s: element %d of %d is %v, %v, that of the twin %v, %v", name, i, n, k[i], s[i], k2[i], s2[i])
				}
				unit := func(j int) float64 { return threefry.Unit(uint64(words[j][i])<<32 | uint64(words[j+1][i])) }
				u, v := unit(0)-0.5, unit(2)
				us := 0.5 - math.Abs(u)
				want := float64(v*alpha) / (a/float64(us*us) + b)
				if us < 0.013 {
					want = math.Inf(1)
				}
				sure := us >= 0.07 && v <= quick
				if kinds[sure]++; sure {
					want = 0
				}
				if number := math.Floor(float64((2*a/us+b)*u) + c + d); k[i] != number || s[i] != want {
					t.Fatalf("%s: element %d of %d is %v, %v, want %v, %v", name, i, n, k[i], s[i], number, want)
				}
			}
		}
	})
	if kinds[true] == 0 || kinds[false] == 0 {
		t.Error("one kind of attempt did not occur")
	}
}
