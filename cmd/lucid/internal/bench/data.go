package bench

import "github.com/lucid-go/lucid"

// noise returns n numbers, evenly spread from -1 to 1, that every framework can make alike: a hash of position and
// seed, in 24 bits, which float32 holds.
func noise(n int, seed uint32) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(hash(uint32(i), seed)>>8)/(1<<23) - 1
	}
	return v
}

func hash(i, seed uint32) uint32 {
	h := i*0x9E3779B1 + seed*0x85EBCA6B
	h = (h ^ h>>16) * 0x85EBCA6B
	h = (h ^ h>>13) * 0xC2B2AE35
	return h ^ h>>16
}

// random returns a tensor of noise times scale.
func random(seed uint32, scale float32, sizes ...int) *lucid.Tensor {
	v := noise(numel(sizes), seed)
	for i := range v {
		v[i] *= scale
	}
	return lucid.New(v, sizes...)
}

// integers returns numbers from 0 to below.
func integers(seed uint32, below, n int) *lucid.Tensor {
	v := make([]int64, n)
	for i := range v {
		v[i] = int64(hash(uint32(i), seed) % uint32(below))
	}
	return lucid.New(v, n)
}

func numel(sizes []int) int {
	n := 1
	for _, s := range sizes {
		n *= s
	}
	return n
}
