package cpu

import (
	"math"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/backend/special"
	"github.com/lucid-go/lucid/internal/dtype"
)

// polygammaB has its order in the attribute.
func polygammaB[T floats](n int, z, x, _, _ unsafe.Pointer, a attr.Attr) {
	order, out := a.(attr.Order).N, elems[T](z, n)
	for i, v := range elems[T](x, n) {
		out[i] = T(special.Polygamma(order, float64(v)))
	}
}

// polygamma64 has a kernel of the first order.
func polygamma64(n int, z, x, y, w unsafe.Pointer, a attr.Attr) {
	if a.(attr.Order).N == 1 {
		simd.TrigammaF64(elems[float64](z, n), elems[float64](x, n))
		return
	}
	polygammaB[float64](n, z, x, y, w, a)
}

// polygamma32 is ±n!·ζ(n+1, x); below 0, and for orders whose factorial is too large, it is computed in float64.
func polygamma32(n int, z, x, y, w unsafe.Pointer, a attr.Attr) {
	order := a.(attr.Order).N
	if order == 1 {
		simd.TrigammaF32(elems[float32](z, n), elems[float32](x, n))
		return
	}
	if order < 1 || order > 20 {
		polygammaB[float32](n, z, x, y, w, a)
		return
	}
	factor := float32(math.Gamma(float64(order + 1)))
	if order%2 == 0 {
		factor = -factor
	}
	var s [tileElems]float32
	for i := range s {
		s[i] = float32(order + 1)
	}
	v, out := elems[float32](x, n), elems[float32](z, n)
	for at := 0; at < n; at += tileElems {
		in, to := v[at:min(n, at+tileElems)], out[at:min(n, at+tileElems)]
		var held [tileElems]float32 // the result may be written over the argument
		copy(held[:], in)
		simd.ZetaF32(to, s[:len(to)], held[:len(to)])
		for i, x := range held[:len(to)] {
			if tiny := to[i] < 0x1p-120; !(x > 0) || tiny { // the product may be a number where ζ is none
				to[i] = float32(special.Polygamma(order, float64(x)))
			} else {
				to[i] *= factor
			}
		}
	}
}

// lgamma32 has a shorter kernel for tiles of large arguments.
func lgamma32(z, x []float32) {
	for at := 0; at < len(z); at += tileElems {
		to, in := z[at:min(len(z), at+tileElems)], x[at:min(len(z), at+tileElems)]
		if simd.MinOfF32(in) >= simd.LgammaSplit {
			simd.LgammaHighF32(to, in)
		} else {
			simd.LgammaF32(to, in)
		}
	}
}

func erfcxDerivativeB[T floats](n int, z, x, _, _ unsafe.Pointer, a attr.Attr) {
	order, out := a.(attr.Order).N, elems[T](z, n)
	for i, v := range elems[T](x, n) {
		out[i] = T(special.ErfcxDerivative(order, float64(v)))
	}
}

// ternary64 makes kernels of a float64 function of three operands.
func ternary64(f func(x, y, w float64) float64) byDType {
	return onFloats(each3[float32](f), each3[float64](f))
}

func each3[T floats](f func(x, y, w float64) float64) Block {
	return func(n int, z, x, y, w unsafe.Pointer, _ attr.Attr) {
		a, b, c, out := elems[T](x, n), elems[T](y, n), elems[T](w, n), elems[T](z, n)
		for i := range out {
			out[i] = T(f(float64(a[i]), float64(b[i]), float64(c[i])))
		}
	}
}

func gammaGradB[T floats](n int, z, x, y, _ unsafe.Pointer, a attr.Attr) {
	order, v, d, out := a.(attr.Order).N, elems[T](x, n), elems[T](y, n), elems[T](z, n)
	for i := range out {
		out[i] = T(special.GammaGrad(order, float64(v[i]), float64(d[i])))
	}
}

func betaGradB[T floats](n int, z, x, y, w unsafe.Pointer, a attr.Attr) {
	order, p, q, v, out := a.(attr.Order).N, elems[T](x, n), elems[T](y, n), elems[T](w, n), elems[T](z, n)
	for i := range out {
		out[i] = T(special.BetaGrad(order, float64(p[i]), float64(q[i]), float64(v[i])))
	}
}

func exponentB[T floats](n int, z, x, _, _ unsafe.Pointer, _ attr.Attr) {
	out := elems[int32](z, n)
	for i, v := range elems[T](x, n) {
		out[i] = special.Exponent(float64(v))
	}
}

// onFloats makes a table of the two native floats.
func onFloats(f32, f64 Block) (t byDType) {
	t[dtype.Float32], t[dtype.Float64] = f32, f64
	return t
}

// xlogy makes x·log y of vector kernels: 0 where x is 0 and y is a number.
func xlogy[T floats](log func(z, x []T), mul func(z, x, y []T)) func(z, x, y []T) {
	return func(z, x, y []T) {
		buf := floatTiles.Get().(*floatTile)
		defer floatTiles.Put(buf)
		t := elems[T](unsafe.Pointer(buf), tileElems)
		for len(z) > 0 {
			n := min(len(z), tileElems)
			log(t[:n], y[:n])
			mul(t[:n], t[:n], x[:n])
			for i, v := range x[:n] {
				if v == 0 && y[i] == y[i] {
					t[i] = 0
				}
			}
			copy(z, t[:n])
			z, x, y = z[n:], x[n:], y[n:]
		}
	}
}

// entr makes -x·log x of vector kernels: 0 at 0, -Inf below.
func entr[T floats](log func(z, x []T), mul func(z, x, y []T)) func(z, x []T) {
	return func(z, x []T) {
		buf := floatTiles.Get().(*floatTile)
		defer floatTiles.Put(buf)
		t := elems[T](unsafe.Pointer(buf), tileElems)
		for len(z) > 0 {
			n := min(len(z), tileElems)
			log(t[:n], x[:n])
			mul(t[:n], t[:n], x[:n])
			for i, v := range x[:n] {
				switch {
				case v > 0 || v != v:
					z[i] = -t[i]
				case v == 0:
					z[i] = 0
				default:
					z[i] = T(math.Inf(-1))
				}
			}
			z, x = z[n:], x[n:]
		}
	}
}

func init() {
	next := bothFloats2(simd.NextF32, simd.NextF64)
	next[dtype.Float16] = each2(func(x, y dtype.F16) dtype.F16 {
		return dtype.ToF16(float32(special.NextAfter(dtype.Float16, float64(x.Float32()), float64(y.Float32()))))
	})
	next[dtype.BFloat16] = each2(func(x, y dtype.BF16) dtype.BF16 {
		return dtype.ToBF16(float32(special.NextAfter(dtype.BFloat16, float64(x.Float32()), float64(y.Float32()))))
	})
	for name, t := range map[string]byDType{
		"floor": bothFloats(simd.FloorF32, simd.FloorF64), "ceil": bothFloats(simd.CeilF32, simd.CeilF64),
		"trunc": bothFloats(simd.TruncF32, simd.TruncF64), "round": bothFloats(simd.RoundF32, simd.RoundF64),
		"lgamma": bothFloats(lgamma32, simd.LgammaF64), "digamma": bothFloats(simd.DigammaF32, simd.DigammaF64),
		"special_zeta":      bothFloats2(simd.ZetaF32, simd.ZetaF64),
		"polygamma":         onFloats(polygamma32, polygamma64),
		"i0":                bothFloats(simd.BesselI0F32, simd.BesselI0F64),
		"special_i0e":       bothFloats(simd.BesselI0eF32, simd.BesselI0eF64),
		"special_i1":        bothFloats(simd.BesselI1F32, simd.BesselI1F64),
		"special_i1e":       bothFloats(simd.BesselI1eF32, simd.BesselI1eF64),
		"special_bessel_j0": wide1(simd.BesselJ0F64), "special_bessel_j1": wide1(simd.BesselJ1F64),
		"special_bessel_y0": wide1(simd.BesselY0F64), "special_bessel_y1": wide1(simd.BesselY1F64),
		"special_modified_bessel_k0": wide1(simd.BesselK0F64), "special_modified_bessel_k1": wide1(simd.BesselK1F64),
		"special_scaled_modified_bessel_k0": wide1(simd.BesselK0eF64), "special_scaled_modified_bessel_k1": wide1(simd.BesselK1eF64),
		"special_gammainc":            onFloats(gammainc32, vec2(incompleteGamma64(false))),
		"special_gammaincc":           wide2(incompleteGamma64(true)),
		"gamma_density":               binary64(special.GammaDensity),
		"special_beta":                onFloats(vec2(simd.BetaF32), each2(special.Beta)),
		"special_betaln":              bothFloats2(simd.BetalnF32, simd.BetalnF64),
		"special_betainc":             ternary64(special.Betainc),
		"beta_density":                ternary64(special.BetaDensity),
		"special_airy_ai":             wide1(simd.AiryAiF64),
		"airy_ai_prime":               real64(special.AiryAiPrime),
		"special_erfcinv":             wide1(simd.ErfcinvF64),
		"erfcx_derivative":            onFloats(erfcxDerivativeB[float32], erfcxDerivativeB[float64]),
		"standard_gamma_grad":         onFloats(gammaGradB[float32], gammaGradB[float64]),
		"beta_grad":                   onFloats(betaGradB[float32], betaGradB[float64]),
		"special_polynomial":          onFloats(polynomialB[float32], polynomialB[float64]),
		"special_spherical_bessel_j0": wide1(simd.SphericalJ0F64),
		"special_erfcx":               bothFloats(simd.ErfcxF32, simd.ErfcxF64),
		"special_ndtr":                bothFloats(simd.NdtrF32, simd.NdtrF64),
		"special_log_ndtr":            bothFloats(simd.LogNdtrF32, simd.LogNdtrF64),
		"special_ndtri":               bothFloats(simd.NdtriF32, simd.NdtriF64),
		"special_entr":                bothFloats(entr(simd.LogF32, simd.MulF32), entr(simd.LogF64, simd.MulF64)),
		"logit":                       bothFloats(simd.LogitF32, simd.LogitF64),
		"atan2":                       bothFloats2(simd.Atan2F32, simd.Atan2F64),
		"hypot":                       bothFloats2(simd.HypotF32, simd.HypotF64),
		"copysign":                    bothFloats2(simd.CopysignF32, simd.CopysignF64),
		"logaddexp":                   bothFloats2(simd.LogAddExpF32, simd.LogAddExpF64).complexes2(special.LogAddExpComplex),
		"logaddexp2":                  wide2(simd.LogAddExp2F64),
		"xlogy":                       bothFloats2(xlogy(simd.LogF32, simd.MulF32), xlogy(simd.LogF64, simd.MulF64)),
		"special_xlog1py":             bothFloats2(xlogy(simd.Log1pF32, simd.MulF32), xlogy(simd.Log1pF64, simd.MulF64)),
		"nextafter":                   next, "frexp_mantissa": real64(special.Mantissa),
	} {
		addBlocks(name, t)
	}
	exponent := onFloats(exponentB[float32], exponentB[float64])
	exponent[dtype.BFloat16], exponent[dtype.Float16] = halvedTo(4, exponent[dtype.Float32], widenBF16),
		halvedTo(4, exponent[dtype.Float32], widenF16)
	makers["frexp_exponent"] = exponent.maker()
}
