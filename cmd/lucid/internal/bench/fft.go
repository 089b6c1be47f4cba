package bench

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/fft"
)

// transforms are Fourier transforms: batches of rows, one long row, a prime length, other dimensions than the last, real signals.
func transforms() {
	row := func(name, about string, goal float64, f func(x *lucid.Tensor) *lucid.Tensor, make func() *lucid.Tensor) {
		add(Workload{Name: name, About: about, Goal: goal, make: func() job {
			x := make().Eval()
			j := once(func() *lucid.Tensor { return f(x) })
			complexes := j.result
			j.result = func() []*lucid.Tensor { return []*lucid.Tensor{lucid.ViewAsReal(complexes()[0])} }
			return j
		}})
	}
	signal := func(shape ...int) func() *lucid.Tensor { return func() *lucid.Tensor { return random(1, 1, shape...) } }
	pairs := func(shape ...int) func() *lucid.Tensor {
		return func() *lucid.Tensor { return lucid.ViewAsComplex(random(1, 1, append(shape, 2)...)) }
	}
	along := func(dim int) func(x *lucid.Tensor) *lucid.Tensor {
		return func(x *lucid.Tensor) *lucid.Tensor { return fft.FFT(x, fft.Options{Dim: &dim}) }
	}
	last := along(-1)
	row("fft_256x4096", "FFT of 256 rows of 4096", 1, last, pairs(256, 4096))
	row("rfft_256x4096", "FFT of 256 real rows of 4096", 1, func(x *lucid.Tensor) *lucid.Tensor { return fft.RFFT(x) }, signal(256, 4096))
	row("fft_65536x16", "FFT of 65536 rows of 16", 1, last, pairs(65536, 16))
	row("fft_4096x256", "FFT of 4096 rows of 256", 1, last, pairs(4096, 256))
	row("fft_1m", "FFT of one row of 1M", 1, last, pairs(1<<20))
	row("fft_256x4093", "FFT of 256 rows of 4093, a prime", 2, last, pairs(256, 4093))
	row("fft_256x3000", "FFT of 256 rows of 3000", 1, last, pairs(256, 3000))
	row("fft2_64x256", "two-dimensional FFT of 64 images of 256²", 2, func(x *lucid.Tensor) *lucid.Tensor { return fft.FFT2(x) },
		pairs(64, 256, 256))
	row("rfft2_64x256", "two-dimensional FFT of 64 real images of 256²", 2, func(x *lucid.Tensor) *lucid.Tensor { return fft.RFFT2(x) },
		signal(64, 256, 256))
	row("fftn_128", "three-dimensional FFT of 128³", 1, func(x *lucid.Tensor) *lucid.Tensor { return fft.FFTN(x) }, pairs(128, 128, 128))
	row("fft_first_4096x256", "FFT over the first dimension, 4096×256", 2, along(0), pairs(4096, 256))
	row("fft_256x4096_c128", "FFT of 256 rows of 4096, complex128", 1, last, func() *lucid.Tensor {
		return lucid.ViewAsComplex(random(1, 1, 256, 4096, 2).To(lucid.Float64))
	})
	row("stft_16x160000", "short-time FFT of 16 signals of 160000, windows of 512", 2, func(x *lucid.Tensor) *lucid.Tensor {
		return lucid.STFT(x, lucid.STFTOptions{NFFT: 512})
	}, signal(16, 160000))
}
