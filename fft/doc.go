// Package fft has discrete Fourier transforms with the names and conventions of torch.fft, cosine and sine transforms, and convolution
// by transforms. Lengths may be any number, dimensions any, and all of it is differentiable.
//
//	spectrum := fft.RFFT(signal)
//	back := fft.IRFFT(spectrum, fft.Options{N: signal.Dim(-1)})
//
// Signals are float32, float64, complex64 or complex128; integers become the default float. The short-time transforms are lucid.STFT and
// lucid.ISTFT.
package fft
