package ops

import (
	"math"
	"math/bits"

	"github.com/lucid-go/lucid/internal/fault"
)

// HadamardOptions has the factor of the result; nil: 1/sqrt(n), which makes the transform its own inverse where the
// matrix is symmetric.
type HadamardOptions struct{ Scale *float64 }

// HadamardTransform multiplies the last dimension, of size m·2^k with m one of 1, 12, 20 and 28, by a Hadamard matrix,
// in n·(k + m) steps for each vector: Sylvester's for the power of two, Paley's for m.
//
//lucid:func
func HadamardTransform(x *Node, o HadamardOptions) *Node {
	const op = "hadamard_transform"
	if x.Rank() == 0 {
		fault.Throw(fault.Shape, op, "a 0-d tensor has no last dimension")
	}
	n := x.Dim(-1)
	m := oddHadamard(n)
	if m == 0 {
		fault.Throw(fault.Shape, op, "the last dimension of %v is %d; want m·2^k with m one of 1, 12, 20 and 28", x.Shape(), n)
	}
	realFloat(op, x)
	return inFloat32(x, func(x *Node) *Node {
		lead := x.Shape().Clone()
		lead = lead[:len(lead)-1]
		p := n / m
		y := Reshape(x, append(lead[:len(lead):len(lead)], m, p)...)
		for half := p / 2; half >= 1; half /= 2 { // the sums and differences of elements that far apart
			y = Reshape(y, append(lead[:len(lead):len(lead)], m, p/(2*half), 2, half)...)
			a, b := Narrow(y, -2, 0, 1), Narrow(y, -2, 1, 1)
			y = Cat([]*Node{Add(a, b), Sub(a, b)}, -2)
		}
		y = Reshape(y, append(lead[:len(lead):len(lead)], m, p)...)
		if m > 1 {
			y = Matmul(tableFloats(x, paley(m), m, m), y)
		}
		return Mul(Reshape(y, x.Shape().Dims()...), orElse(o.Scale, 1/math.Sqrt(float64(n))))
	})
}

// oddHadamard is the m of n = m·2^k, 0 if there is none.
func oddHadamard(n int) int {
	for _, m := range []int{1, 12, 20, 28} {
		if n > 0 && n%m == 0 && bits.OnesCount(uint(n/m)) == 1 {
			return m
		}
	}
	return 0
}

// paley is the Hadamard matrix of order m = q + 1 (Paley's first construction) for a field of q elements, q being 11 or
// 19; for 28 it is his second construction over 13 elements.
func paley(m int) []float64 {
	h := make([]float64, m*m)
	if m == 28 {
		return paleySecond(h)
	}
	q := m - 1
	for i := range m {
		for j := range m {
			v := 1.0
			switch {
			case i == 0:
			case j == 0:
				v = -1
			case i == j:
			default:
				v = residue(i-j, q)
			}
			h[i*m+j] = v
		}
	}
	return h
}

// paleySecond replaces each element c of the symmetric conference matrix of order 14 by c·[1 1; 1 -1], and the zeros of
// its diagonal by [1 -1; -1 -1].
func paleySecond(h []float64) []float64 {
	const n, q = 14, 13
	for i := range n {
		for j := range n {
			c := 1.0
			if i > 0 && j > 0 {
				c = residue(i-j, q)
			}
			block := [4]float64{c, c, c, -c}
			if i == j {
				block = [4]float64{1, -1, -1, -1}
			}
			for k, v := range block {
				h[(2*i+k/2)*2*n+2*j+k%2] = v
			}
		}
	}
	return h
}

// residue is 1 if a is a square modulo the prime q, -1 if it is none, 0 if q divides it.
func residue(a, q int) float64 {
	a = ((a % q) + q) % q
	if a == 0 {
		return 0
	}
	for b := 1; b < q; b++ {
		if b*b%q == a {
			return 1
		}
	}
	return -1
}
