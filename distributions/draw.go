package distributions

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/random"
)

// Numbers of simple distributions, made by a key on the device of the parameters and in their dtype.

// keyFor is the key on the device of a parameter.
func keyFor(key, like *lucid.Tensor) *lucid.Tensor {
	if d := like.Device(); d != key.Device() {
		return key.To(d)
	}
	return key
}

// keysFor splits a key into n.
func keysFor(key, like *lucid.Tensor, n int) []*lucid.Tensor {
	return random.Keys(keyFor(key, like), n)
}

func normals(key, like *lucid.Tensor, shape []int) *lucid.Tensor {
	return random.Normal(keyFor(key, like), shape, random.NormalOptions{DType: like.DType()})
}

// located is z·scale + loc. The steps are given up, so that nothing is stored for them: the numbers z are made where they are used.
func located(z, scale, loc *lucid.Tensor) *lucid.Tensor {
	y := z.Mul(scale)
	x := y.Add(loc)
	z.Free()
	y.Free()
	return x
}

// uniforms are numbers in [0, 1).
func uniforms(key, like *lucid.Tensor, shape []int) *lucid.Tensor {
	return random.Uniform(keyFor(key, like), shape, random.UniformOptions{DType: like.DType()})
}

// openUniforms are numbers in (0, 1).
func openUniforms(key, like *lucid.Tensor, shape []int) *lucid.Tensor {
	return uniforms(key, like, shape).ClampMin(lucid.FInfo(like.DType()).SmallestNormal)
}

// exponentials are numbers of rate 1.
func exponentials(key, like *lucid.Tensor, shape []int) *lucid.Tensor {
	return uniforms(key, like, shape).Neg().Log1p().Neg()
}

// gammas are numbers of the gamma distribution of rate 1, at least the smallest normal number of the dtype, so that logarithms and
// quotients are finite.
func gammas(key, concentration *lucid.Tensor, shape []int) *lucid.Tensor {
	g := random.Gamma(keyFor(key, concentration), concentration, shape)
	defer g.Free()
	return g.ClampMin(lucid.FInfo(concentration.DType()).SmallestNormal)
}
