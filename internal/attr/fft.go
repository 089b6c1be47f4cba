package attr

// FFT is a discrete Fourier transform of complex numbers along dimensions: sums of x·exp(∓2πi·j·k/n), minus unless Inverse,
// times Scale.
type FFT struct {
	Axes    Ints // in the order they are transformed, all different
	Inverse bool
	Scale   float64
}

// HalfFFT is a transform between a real signal of N elements along one dimension and the first N/2+1 bins of its spectrum, which
// determine the others. Bins other than the first, and the one at N/2 of an even N, are multiplied by Middle·Scale, these two by
// Scale: the transpose of a transform is then a transform too, with half or twice Middle.
//
// Others are dimensions along which the bins are transformed as FFT does; only a transform of real signals has them.
type HalfFFT struct {
	Axis, N       int
	Inverse       bool
	Scale, Middle float64
	Others        Ints
}
