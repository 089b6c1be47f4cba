package bench

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/fft"
)

// moreTransforms are lengths and shapes that programs have: round numbers, rates of sound, columns, double precision, the way back, frames
// of speech. Their goal is PyTorch's speed.
func moreTransforms() {
	row := func(name string, double, complexes bool, f func(x *lucid.Tensor) *lucid.Tensor, shape ...int) {
		add(Workload{Name: name, About: "transforms of the shape in the name", Goal: 1, make: func() job {
			if complexes {
				shape = append(shape, 2)
			}
			x := random(1, 1, shape...)
			if double {
				x = x.To(lucid.Float64)
			}
			if complexes {
				x = lucid.ViewAsComplex(x)
			}
			x.Eval()
			j := once(func() *lucid.Tensor { return f(x) })
			result := j.result
			j.result = func() []*lucid.Tensor {
				y := result()[0]
				if y.DType().IsComplex() {
					y = lucid.ViewAsReal(y)
				}
				return []*lucid.Tensor{y}
			}
			return j
		}})
	}
	along := func(f func(*lucid.Tensor, ...fft.Options) *lucid.Tensor, dim int) func(x *lucid.Tensor) *lucid.Tensor {
		return func(x *lucid.Tensor) *lucid.Tensor { return f(x, fft.Options{Dim: &dim}) }
	}
	row("fft_512x1000", false, true, along(fft.FFT, -1), 512, 1000)
	row("fft_512x1536", false, true, along(fft.FFT, -1), 512, 1536)
	row("fft_256x2000", false, true, along(fft.FFT, -1), 256, 2000)
	row("fft_128x5000", false, true, along(fft.FFT, -1), 128, 5000)
	row("fft_32x44100", false, true, along(fft.FFT, -1), 32, 44100)
	row("fft_32x48000", false, true, along(fft.FFT, -1), 32, 48000)
	row("fft_8192x100", false, true, along(fft.FFT, -1), 8192, 100)
	row("fft_1024x1009", false, true, along(fft.FFT, -1), 1024, 1009)
	row("fft_512x1000_c128", true, true, along(fft.FFT, -1), 512, 1000)
	row("fft_first_1000x1024", false, true, along(fft.FFT, 0), 1000, 1024)
	row("fft_middle_16x512x128", false, true, along(fft.FFT, 1), 16, 512, 128)
	row("ifft_256x4096", false, true, along(fft.IFFT, -1), 256, 4096)
	row("rfft_512x1000", false, false, along(fft.RFFT, -1), 512, 1000)
	row("rfft_32x44100", false, false, along(fft.RFFT, -1), 32, 44100)
	row("rfft_32x48000", false, false, along(fft.RFFT, -1), 32, 48000)
	row("rfft_1m", false, false, along(fft.RFFT, -1), 1<<20)
	row("rfft_first_1024x1024", false, false, along(fft.RFFT, 0), 1024, 1024)
	row("rfft_256x4096_f64", true, false, along(fft.RFFT, -1), 256, 4096)
	row("irfft_256x2049", false, true, along(fft.IRFFT, -1), 256, 2049)
	row("irfft_512x501", false, true, along(fft.IRFFT, -1), 512, 501)
	row("irfft_32x24001", false, true, along(fft.IRFFT, -1), 32, 24001)
	row("irfft2_64x256x129", false, true, func(x *lucid.Tensor) *lucid.Tensor { return fft.IRFFT2(x) }, 64, 256, 129)
	row("fft2_8x1000x1000", false, true, func(x *lucid.Tensor) *lucid.Tensor { return fft.FFT2(x) }, 8, 1000, 1000)
	speech := func(size, hop int) func(x *lucid.Tensor) *lucid.Tensor {
		return func(x *lucid.Tensor) *lucid.Tensor {
			return lucid.STFT(x, lucid.STFTOptions{NFFT: size, HopLength: &hop})
		}
	}
	row("stft_400_160", false, false, speech(400, 160), 16, 160000)
	row("stft_400_128", false, false, speech(400, 128), 16, 160000)
	row("stft_1024_128", false, false, speech(1024, 128), 16, 160000)
	row("stft_1024_256", false, false, speech(1024, 256), 16, 160000)
	window := lucid.Ones(512)
	row("istft_512", false, true, func(x *lucid.Tensor) *lucid.Tensor {
		return lucid.ISTFT(x, lucid.ISTFTOptions{NFFT: 512, Window: window})
	}, 16, 257, 1251)
}
