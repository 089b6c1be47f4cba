package llm

import (
	"encoding/binary"
	"io"
	"math"
	"os"

	"github.com/lucid-go/lucid/internal/codec"
	"github.com/lucid-go/lucid/internal/fault"
)

// Audio is sound: numbers from -1 to 1, so many a second.
type Audio struct {
	Samples []float32
	Rate    int
}

// Limits on sound.
const (
	maxSound = 1 << 30 // bytes of a file
	minRate  = 1000
	maxRate  = 192000
)

// OpenWAV reads a .wav file; see ReadWAV.
func OpenWAV(path string) (Audio, error) {
	f, err := os.Open(path)
	if err != nil {
		return Audio{}, codec.IOError(op, err)
	}
	defer f.Close()
	a, err := ReadWAV(f)
	return a, codec.InFile(err, path)
}

// ReadWAV reads sound in the WAV format: whole numbers of 8, 16, 24 or 32 bits, or floats of 32 or 64. Several channels become their mean.
func ReadWAV(r io.Reader) (a Audio, err error) {
	data, err := io.ReadAll(io.LimitReader(r, maxSound+1))
	if err != nil {
		return a, codec.IOError(op, err)
	}
	if len(data) > maxSound {
		return a, fault.New(fault.OutOfMemory, op, "the sound has more than %d bytes", maxSound)
	}
	return parseWAV(data)
}

// wavFormat is the format chunk of a file.
type wavFormat struct {
	kind     uint16 // 1: whole numbers, 3: floats
	channels int
	rate     int
	bits     int
}

func parseWAV(data []byte) (a Audio, err error) {
	le := binary.LittleEndian
	if len(data) < 12 || string(data[:4]) != "RIFF" || string(data[8:12]) != "WAVE" {
		return a, fault.New(fault.Format, op, "the sound is no WAV file; ffmpeg -i sound.mp3 -ar 16000 -ac 1 sound.wav makes one")
	}
	var f *wavFormat
	for rest := data[12:]; len(rest) >= 8; {
		name, size := string(rest[:4]), int64(le.Uint32(rest[4:]))
		rest = rest[8:]
		if name == "data" && size > int64(len(rest)) && (size >= 1<<32-1-64 || size == 0) {
			size = int64(len(rest)) // of a program that did not know the length when it began
		}
		if size > int64(len(rest)) {
			return a, fault.New(fault.Format, op, "the WAV file has %d bytes of %q and wants %d", len(rest), name, size)
		}
		chunk := rest[:size]
		rest = rest[min(size+size%2, int64(len(rest))):]
		switch {
		case name == "fmt ":
			if f, err = readFormat(chunk); err != nil {
				return a, err
			}
		case name == "data" && f == nil:
			return a, fault.New(fault.Format, op, "the WAV file has samples before their format")
		case name == "data":
			return Audio{f.samples(chunk), f.rate}, nil
		}
	}
	return a, fault.New(fault.Format, op, "the WAV file has no samples")
}

func readFormat(b []byte) (*wavFormat, error) {
	le := binary.LittleEndian
	if len(b) < 16 {
		return nil, fault.New(fault.Format, op, "the format of the WAV file has %d bytes; want 16", len(b))
	}
	f := &wavFormat{le.Uint16(b), int(le.Uint16(b[2:])), int(le.Uint32(b[4:])), int(le.Uint16(b[14:]))}
	if f.kind == 0xfffe && len(b) >= 26 { // extensible: the kind is the beginning of a longer number
		f.kind = le.Uint16(b[24:])
	}
	whole := f.kind == 1 && (f.bits == 8 || f.bits == 16 || f.bits == 24 || f.bits == 32)
	float := f.kind == 3 && (f.bits == 32 || f.bits == 64)
	switch {
	case !whole && !float:
		return nil, fault.New(fault.NotImplemented, op, "the WAV file has format %d with %d bits; want whole numbers of 8 to 32 bits, "+
			"or floats of 32 or 64", f.kind, f.bits)
	case f.channels < 1 || f.channels > 64:
		return nil, fault.New(fault.Format, op, "the WAV file has %d channels; want 1 to 64", f.channels)
	case f.rate < minRate || f.rate > maxRate:
		return nil, fault.New(fault.Format, op, "the WAV file has %d samples a second; want %d to %d", f.rate, minRate, maxRate)
	}
	return f, nil
}

// samples are the means of the channels.
func (f *wavFormat) samples(b []byte) []float32 {
	size := f.bits / 8
	out := make([]float32, len(b)/(size*f.channels))
	for i := range out {
		sum := 0.0
		for range f.channels {
			sum += f.sample(b)
			b = b[size:]
		}
		if v := sum / float64(f.channels); !math.IsNaN(v) && !math.IsInf(v, 0) { // a damaged float is silence
			out[i] = float32(v)
		}
	}
	return out
}

func (f *wavFormat) sample(b []byte) float64 {
	le := binary.LittleEndian
	switch {
	case f.kind == 3 && f.bits == 32:
		return float64(math.Float32frombits(le.Uint32(b)))
	case f.kind == 3:
		return math.Float64frombits(le.Uint64(b))
	case f.bits == 8:
		return (float64(b[0]) - 128) / 128
	case f.bits == 16:
		return float64(int16(le.Uint16(b))) / (1 << 15)
	case f.bits == 24:
		return float64(int32(uint32(b[0])<<8|uint32(b[1])<<16|uint32(b[2])<<24)) / (1 << 31)
	}
	return float64(int32(le.Uint32(b))) / (1 << 31)
}

// Resample returns the sound with another number of samples a second: a band-limited interpolation, by a sinc in a Hann window of 16
// zeros on each side.
func (a Audio) Resample(rate int) (Audio, error) {
	if a.Rate < minRate || a.Rate > maxRate || rate < minRate || rate > maxRate {
		return a, fault.New(fault.Value, op, "resampling from %d to %d samples a second; want %d to %d", a.Rate, rate, minRate, maxRate)
	}
	if a.Rate == rate {
		return a, nil
	}
	const zeros = 16
	cut := 0.97 * min(1, float64(rate)/float64(a.Rate)) // of the input's half rate
	width := zeros / cut
	n := int((int64(len(a.Samples))*int64(rate) + int64(a.Rate) - 1) / int64(a.Rate))
	out := make([]float32, n)
	step := gcd(a.Rate, rate)
	phases, down := rate/step, a.Rate/step
	taps := 2*int(width) + 2
	table := make([][]float64, phases)
	for i := range out {
		p := i % phases
		whole := int(int64(i) / int64(phases) * int64(down)) // input samples before this round of phases
		t := float64(p) * float64(down) / float64(phases)
		first := whole + int(math.Ceil(t-width))
		if table[p] == nil {
			table[p] = sincTaps(t, math.Ceil(t-width), cut, width, taps)
		}
		sum := 0.0
		for k, h := range table[p] {
			if at := first + k; at >= 0 && at < len(a.Samples) {
				sum += h * float64(a.Samples[at])
			}
		}
		out[i] = float32(sum)
	}
	return Audio{out, rate}, nil
}

// sincTaps are the weights of the input samples from first on for an output at t.
func sincTaps(t, first, cut, width float64, n int) []float64 {
	h, sum := make([]float64, n), 0.0
	for k := range h {
		d := t - (first + float64(k))
		if math.Abs(d) >= width {
			continue
		}
		v := cut
		if d != 0 {
			v = math.Sin(math.Pi*cut*d) / (math.Pi * d)
		}
		c := math.Cos(math.Pi * d / width / 2)
		h[k] = v * c * c
		sum += h[k]
	}
	for k := range h {
		h[k] /= sum // a constant stays what it is
	}
	return h
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
