package llm

import (
	"math"

	"github.com/lucid-go/lucid"
)

// What Whisper listens to: frames of 25 ms, every 10 ms, of sound at 16 kHz.
const (
	soundRate  = 16000
	frameSize  = 400
	frameSteps = 160
)

// melScale is Slaney's scale: linear up to 1 kHz, logarithmic above.
func melScale(hertz float64) float64 {
	if hertz < 1000 {
		return 3 * hertz / 200
	}
	return 15 + math.Log(hertz/1000)*27/math.Log(6.4)
}

func melInverse(mel float64) float64 {
	if mel < 15 {
		return 200 * mel / 3
	}
	return 1000 * math.Exp((mel-15)*math.Log(6.4)/27)
}

// melFilters are triangles over the bins of a frame's spectrum, of one area: (bands, bins).
func melFilters(bands int) *lucid.Tensor {
	const bins = frameSize/2 + 1
	edges := make([]float64, bands+2)
	for i := range edges {
		edges[i] = melInverse(melScale(soundRate/2) * float64(i) / float64(bands+1))
	}
	out := make([]float32, bands*bins)
	for b := range bands {
		low, top, high := edges[b], edges[b+1], edges[b+2]
		for k := range bins {
			f := float64(k) * soundRate / frameSize
			v := min((f-low)/(top-low), (high-f)/(high-top))
			out[b*bins+k] = float32(max(0, v) * 2 / (high - low))
		}
	}
	return lucid.New(out, bands, bins)
}

// spectrogram is the logarithm of the power in each band, (1, bands, frames), of samples that are a whole number of frames.
func spectrogram(samples []float32, filters *lucid.Tensor) *lucid.Tensor {
	window := make([]float32, frameSize)
	for i := range window {
		window[i] = float32(0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/frameSize))
	}
	hop := frameSteps
	x := lucid.STFT(lucid.New(samples, len(samples)), lucid.STFTOptions{Window: lucid.New(window, frameSize), NFFT: frameSize,
		HopLength: &hop, ReturnReal: true}) // (bins, frames, 2)
	power := x.Square().Sum(-1).Narrow(1, 0, len(samples)/frameSteps)
	y := lucid.MatMul(filters, power).ClampMin(1e-10).Log10()
	y = lucid.Maximum(y, y.Max().Sub(8))
	return y.Add(4).Div(4).Unsqueeze(0)
}
