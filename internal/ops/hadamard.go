package ops

import (
	"math"
	"math/bits"

	"github.com/lucid-go/lucid/internal/fault"
)

// HadamardOptions has the factor of the result; nil: 1/sqrt(n), which makes the transform its own inverse where the
// matrix is symmetric.
type HadamardOptions struct {
	Scale *float64 // factor of the result; nil: 1/sqrt(n)
}

// HadamardTransform multiplies the last dimension, of size m·2^k with m one of 1, 12, 20 and 28, by a Hadamard matrix,
// in n·(k + m) steps for each vector. The matrices are MLX's: Sylvester's for the power of two, Paley's for 12,
// Williamson's for 20 and 28.
//
//lucid:pkg linalg
//lucid:options HadamardTransformOptions
//lucid:amp half
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
			y = Matmul(tableFloats(x, hadamardOf(m), m, m), y)
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

// hadamardOf is the Hadamard matrix of order 12, 20 or 28.
func hadamardOf(m int) []float64 {
	switch m {
	case 20:
		return williamson("+----", "+----", "++--+", "+-++-")
	case 28:
		return williamson("+------", "++----+", "+-+--+-", "+--++--")
	}
	return paleySecond(5)
}

// paleySecond is Paley's second construction over q elements, q = 1 modulo 4: each element c of the symmetric conference
// matrix of order q+1 becomes c·[1 1; 1 -1], and the zeros of its diagonal [1 -1; -1 -1].
func paleySecond(q int) []float64 {
	n := q + 1
	h := make([]float64, 4*n*n)
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

// williamson is the array [A B C D; -B A -D C; -C D A -B; -D -C B A] of circulant matrices, given by their first rows.
func williamson(rows ...string) []float64 {
	blocks := [4][4]int{{1, 2, 3, 4}, {-2, 1, -4, 3}, {-3, 4, 1, -2}, {-4, -3, 2, 1}}
	n := len(rows[0])
	h := make([]float64, 16*n*n)
	for i := range 4 * n {
		for j := range 4 * n {
			v, b := 1.0, blocks[i/n][j/n]
			if b < 0 {
				v, b = -1, -b
			}
			if rows[b-1][(j%n-i%n+n)%n] == '-' {
				v = -v
			}
			h[i*4*n+j] = v
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
