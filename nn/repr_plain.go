package nn

import (
	"fmt"
	"strings"

	"github.com/lucid-go/lucid/internal/door"
	F "github.com/lucid-go/lucid/nn/functional"
)

// What modules without parameters print.

func dropped(p float64) string { return "p=" + number(p) + ", inplace=False" }

func (m *Dropout) extra() string             { return dropped(m.P) }
func (m *Dropout1d) extra() string           { return dropped(m.P) }
func (m *Dropout2d) extra() string           { return dropped(m.P) }
func (m *Dropout3d) extra() string           { return dropped(m.P) }
func (m *AlphaDropout) extra() string        { return dropped(m.P) }
func (m *FeatureAlphaDropout) extra() string { return dropped(m.P) }
func (m *DropPath) extra() string            { return "p=" + number(m.P) }

func (m *Softmax) extra() string    { return fmt.Sprintf("dim=%d", m.Dim) }
func (m *LogSoftmax) extra() string { return fmt.Sprintf("dim=%d", m.Dim) }
func (m *Softmin) extra() string    { return fmt.Sprintf("dim=%d", m.Dim) }
func (m *GLU) extra() string        { return fmt.Sprintf("dim=%d", door.Or(m.o.Dim, -1)) }
func (m *Step) extra() string       { return "threshold=" + number(m.Threshold) }
func (m *Threshold) extra() string {
	return "threshold=" + number(m.Threshold) + ", value=" + number(m.Value)
}
func (m *PReLU) extra() string { return fmt.Sprintf("num_parameters=%d", m.Weight.NumElement()) }
func (m *RReLU) extra() string {
	return "lower=" + orNumber(m.o.Lower, 1.0/8) + ", upper=" + orNumber(m.o.Upper, 1.0/3)
}
func (m *LeakyReLU) extra() string { return "negative_slope=" + orNumber(m.o.NegativeSlope, 0.01) }
func (m *ELU) extra() string       { return "alpha=" + orNumber(m.o.Alpha, 1) }
func (m *CELU) extra() string      { return "alpha=" + orNumber(m.o.Alpha, 1) }
func (m *GELU) extra() string {
	how := m.o.Approximate
	if how == "" {
		how = "none"
	}
	return "approximate='" + how + "'"
}
func (m *Softplus) extra() string {
	return "beta=" + number(door.Count(m.o.Beta, 1)) + ", threshold=" + orNumber(m.o.Threshold, 20)
}
func (m *Hardtanh) extra() string {
	return "min_val=" + orNumber(m.o.MinVal, -1) + ", max_val=" + orNumber(m.o.MaxVal, 1)
}
func (m *Hardshrink) extra() string { return orNumber(m.o.Lambd, 0.5) }
func (m *Softshrink) extra() string { return orNumber(m.o.Lambd, 0.5) }

func (m *Flatten) extra() string {
	return fmt.Sprintf("start_dim=%d, end_dim=%d", m.StartDim, m.EndDim)
}
func (m *Unflatten) extra() string {
	return fmt.Sprintf("dim=%d, unflattened_size=%s", m.Dim, tuple(m.Sizes))
}
func (m *PixelShuffle) extra() string   { return fmt.Sprintf("upscale_factor=%d", m.Factor) }
func (m *PixelUnshuffle) extra() string { return fmt.Sprintf("downscale_factor=%d", m.Factor) }
func (m *ChannelShuffle) extra() string { return fmt.Sprintf("groups=%d", m.Groups) }
func (m *Upsample) extra() string {
	size := "size=" + given(m.o.Size, "")
	if len(m.o.Size) == 0 {
		var list []string
		for _, f := range m.o.ScaleFactor {
			list = append(list, number(f))
		}
		size = "scale_factor=" + strings.Join(list, ", ")
		if len(list) > 1 {
			size = "scale_factor=(" + strings.Join(list, ", ") + ")"
		}
	}
	mode := m.o.Mode
	if mode == "" {
		mode = "nearest"
	}
	return size + ", mode='" + mode + "'"
}

func folding(kernel []int, o F.FoldOptions) string {
	return fmt.Sprintf("kernel_size=%s, dilation=%s, padding=%s, stride=%s", given(kernel, ""), given(o.Dilation, "1"),
		given(o.Padding, "0"), given(o.Stride, "1"))
}
func (m *Unfold) extra() string { return folding(m.kernel, m.o) }
func (m *Fold) extra() string {
	return "output_size=" + given(m.size, "") + ", " + folding(m.kernel, m.o)
}

func (p *padder) extra() string {
	if len(p.pad) == 1 {
		return filled(p.pad, 2*p.dims, 0)
	}
	return tuple(p.pad)
}

func constantPad(p *padder) string {
	v, _ := p.o.Value.(float64)
	return "padding=" + p.extra() + ", value=" + number(v)
}
func (m *ConstantPad1d) extra() string { return constantPad(&m.padder) }
func (m *ConstantPad2d) extra() string { return constantPad(&m.padder) }
func (m *ConstantPad3d) extra() string { return constantPad(&m.padder) }

func maxPool(kernel []int, o F.MaxPoolOptions) string {
	k := given(kernel, "")
	return fmt.Sprintf("kernel_size=%s, stride=%s, padding=%s, dilation=%s, ceil_mode=%s", k, given(o.Stride, k), given(o.Padding, "0"),
		given(o.Dilation, "1"), truth(o.CeilMode))
}
func (m *MaxPool1d) extra() string { return maxPool(m.kernel, m.o) }
func (m *MaxPool2d) extra() string { return maxPool(m.kernel, m.o) }
func (m *MaxPool3d) extra() string { return maxPool(m.kernel, m.o) }

func avgPool(kernel []int, o F.AvgPoolOptions) string {
	k := given(kernel, "")
	return fmt.Sprintf("kernel_size=%s, stride=%s, padding=%s", k, given(o.Stride, k), given(o.Padding, "0"))
}
func (m *AvgPool1d) extra() string {
	stride := m.o.Stride
	if stride == nil {
		stride = m.kernel
	}
	return fmt.Sprintf("kernel_size=%s, stride=%s, padding=%s", tuple(m.kernel), tuple(stride), filled(m.o.Padding, 1, 0))
}
func (m *AvgPool2d) extra() string { return avgPool(m.kernel, m.o) }
func (m *AvgPool3d) extra() string { return avgPool(m.kernel, m.o) }

func lpPool(p float64, kernel []int, o F.LPPoolOptions) string {
	return fmt.Sprintf("norm_type=%s, kernel_size=%s, stride=%s, ceil_mode=%s", number(p), given(kernel, ""),
		given(o.Stride, "None"), truth(o.CeilMode))
}
func (m *LPPool1d) extra() string { return lpPool(m.p, m.kernel, m.o) }
func (m *LPPool2d) extra() string { return lpPool(m.p, m.kernel, m.o) }
func (m *LPPool3d) extra() string { return lpPool(m.p, m.kernel, m.o) }

func unpool(kernel []int, o F.MaxUnpoolOptions, n int) string {
	stride := o.Stride
	if stride == nil {
		stride = kernel
	}
	return fmt.Sprintf("kernel_size=%s, stride=%s, padding=%s", filled(kernel, n, 1), filled(stride, n, 1), filled(o.Padding, n, 0))
}
func (m *MaxUnpool1d) extra() string { return unpool(m.kernel, m.o, 1) }
func (m *MaxUnpool2d) extra() string { return unpool(m.kernel, m.o, 2) }
func (m *MaxUnpool3d) extra() string { return unpool(m.kernel, m.o, 3) }

func (m *AdaptiveAvgPool1d) extra() string { return "output_size=" + given(m.size, "") }
func (m *AdaptiveAvgPool2d) extra() string { return "output_size=" + given(m.size, "") }
func (m *AdaptiveAvgPool3d) extra() string { return "output_size=" + given(m.size, "") }
func (m *AdaptiveMaxPool1d) extra() string { return "output_size=" + given(m.size, "") }
func (m *AdaptiveMaxPool2d) extra() string { return "output_size=" + given(m.size, "") }
func (m *AdaptiveMaxPool3d) extra() string { return "output_size=" + given(m.size, "") }
