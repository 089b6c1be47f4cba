package nn

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// number writes a number as Python does: 1.0, 0.1, 1e-05.
func number(v float64) string {
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if a := max(v, -v); a >= 1e-4 && a < 1e16 || v == 0 {
		s = strconv.FormatFloat(v, 'f', -1, 64)
	}
	if !strings.ContainsAny(s, ".eIN") {
		s += ".0"
	}
	return s
}

// orNone writes a number, and None for one that was not given.
func orNone(v *float64) string {
	if v == nil {
		return "None"
	}
	return number(*v)
}

func orNumber(v *float64, def float64) string { return number(door.Or(v, def)) }

// truth writes a bool as Python does.
func truth(v bool) string {
	if v {
		return "True"
	}
	return "False"
}

// tuple writes sizes as a Python tuple.
func tuple(v []int) string {
	s := strings.Join(strings.Fields(strings.Trim(fmt.Sprint(v), "[]")), ", ")
	if len(v) == 1 {
		s += ","
	}
	return "(" + s + ")"
}

// given writes sizes as they were given: a number for all dimensions, or a tuple; def if none were.
func given(v []int, def string) string {
	switch len(v) {
	case 0:
		return def
	case 1:
		return strconv.Itoa(v[0])
	}
	return tuple(v)
}

// filled writes sizes for each of n dimensions.
func filled(v []int, n, def int) string { return tuple(spread("repr", "sizes", v, n, def)) }

func all(v []int, n int) bool {
	for _, x := range v {
		if x != n {
			return false
		}
	}
	return true
}

func features(w, bias *lucid.Tensor) string {
	return fmt.Sprintf("in_features=%d, out_features=%d, bias=%s", w.Size(1), w.Size(0), truth(bias != nil))
}

func (m *Linear) extra() string      { return features(m.Weight, m.Bias) }
func (m *NoisyLinear) extra() string { return features(m.WeightMu, m.BiasMu) }
func (m *FusedLinear) extra() string {
	return m.Linear.extra() + ", activation='" + m.Activation + "'"
}
func (m *Bilinear) extra() string {
	return fmt.Sprintf("in1_features=%d, in2_features=%d, out_features=%d, bias=%s", m.Weight.Size(1), m.Weight.Size(2),
		m.Weight.Size(0), truth(m.Bias != nil))
}

func (c *conv) extra() string {
	n, g := c.Weight.Dim()-2, max(c.o.Groups, 1)
	var b strings.Builder
	fmt.Fprintf(&b, "%d, %d, kernel_size=%s, stride=%s", c.Weight.Size(1)*g, c.Weight.Size(0), tuple(c.Weight.Shape()[2:]),
		filled(c.o.Stride, n, 1))
	padding := c.o.Padding
	if len(c.edge) == 2*n { // padded before, in another mode than zeros
		before := make([]int, n)
		for i := range before {
			before[i] = c.edge[2*(n-1-i)]
		}
		padding = before
	}
	switch p := padding.(type) {
	case string:
		b.WriteString(", padding=" + p)
	case int:
		if p != 0 {
			b.WriteString(", padding=" + filled([]int{p}, n, 0))
		}
	case []int:
		if !all(p, 0) {
			b.WriteString(", padding=" + filled(p, n, 0))
		}
	}
	if !all(c.o.Dilation, 1) {
		b.WriteString(", dilation=" + filled(c.o.Dilation, n, 1))
	}
	convEnd(&b, g, c.Bias)
	if m := c.o.PaddingMode; m != "" && m != "zeros" {
		b.WriteString(", padding_mode=" + m)
	}
	return b.String()
}

func convEnd(b *strings.Builder, groups int, bias *lucid.Tensor) {
	if groups != 1 {
		fmt.Fprintf(b, ", groups=%d", groups)
	}
	if bias == nil {
		b.WriteString(", bias=False")
	}
}

func (c *convTranspose) extra() string {
	n, g := c.Weight.Dim()-2, max(c.o.Groups, 1)
	var b strings.Builder
	fmt.Fprintf(&b, "%d, %d, kernel_size=%s, stride=%s", c.Weight.Size(0), c.Weight.Size(1)*g, tuple(c.Weight.Shape()[2:]),
		filled(c.o.Stride, n, 1))
	for _, o := range []struct {
		name string
		v    []int
		def  int
	}{{"padding", c.o.Padding, 0}, {"dilation", c.o.Dilation, 1}, {"output_padding", c.o.OutputPadding, 0}} {
		if !all(o.v, o.def) {
			b.WriteString(", " + o.name + "=" + filled(o.v, n, o.def))
		}
	}
	convEnd(&b, g, c.Bias)
	return b.String()
}

func (b *batchNorm) extra() string {
	return channelNorm(b, orNumber(b.o.Momentum, 0.1), b.o.CumulativeAverage)
}

func channelNorm(b *batchNorm, momentum string, cumulative bool) string {
	if cumulative {
		momentum = "None"
	}
	return fmt.Sprintf("%d, eps=%s, momentum=%s, affine=%s, bias=%s, track_running_stats=%s", b.features, orNumber(b.o.Eps, 1e-5), momentum,
		truth(b.Weight != nil), truth(b.Bias != nil), truth(b.RunningMean != nil))
}

func (m *LayerNorm) extra() string {
	return fmt.Sprintf("%s, eps=%s, elementwise_affine=%s, bias=%s", tuple(m.shape), orNumber(m.eps, 1e-5),
		truth(m.Weight != nil), truth(m.Bias != nil))
}

func (m *RMSNorm) extra() string {
	return fmt.Sprintf("%s, eps=%s, elementwise_affine=%s", tuple(m.shape), orNone(m.eps), truth(m.Weight != nil))
}

func (m *GroupNorm) extra() string {
	return fmt.Sprintf("%d, %d, eps=%s, affine=%s, bias=%s", m.groups, m.channels, orNumber(m.eps, 1e-5),
		truth(m.Weight != nil), truth(m.Bias != nil))
}

func (m *LocalResponseNorm) extra() string {
	return fmt.Sprintf("%d, alpha=%s, beta=%s, k=%s", m.size, orNumber(m.o.Alpha, 1e-4), orNumber(m.o.Beta, 0.75), orNumber(m.o.K, 1))
}

func rows(w *lucid.Tensor, padding *int, maxNorm, normType *float64, byFreq bool) string {
	s := fmt.Sprintf("%d, %d", w.Size(0), w.Size(1))
	if padding != nil {
		s += fmt.Sprintf(", padding_idx=%d", *padding)
	}
	if maxNorm != nil {
		s += ", max_norm=" + number(*maxNorm)
	}
	if v := door.Or(normType, 2); v != 2 {
		s += ", norm_type=" + number(v)
	}
	if byFreq {
		s += ", scale_grad_by_freq=True"
	}
	return s
}

func (m *Embedding) extra() string {
	return rows(m.Weight, m.o.PaddingIdx, m.o.MaxNorm, m.o.NormType, m.o.ScaleGradByFreq)
}

func (m *EmbeddingBag) extra() string {
	mode := m.o.Mode
	if mode == "" {
		mode = "mean"
	}
	s := rows(m.Weight, nil, m.o.MaxNorm, m.o.NormType, m.o.ScaleGradByFreq) + ", mode='" + mode + "'"
	if m.o.PaddingIdx != nil {
		s += fmt.Sprintf(", padding_idx=%d", *m.o.PaddingIdx)
	}
	return s
}

func (r *recurrent) extra() string {
	s := fmt.Sprintf("%d, %d", r.in, r.hid)
	if r.o.ProjSize > 0 {
		s += fmt.Sprintf(", proj_size=%d", r.o.ProjSize)
	}
	if r.o.NumLayers != 1 {
		s += fmt.Sprintf(", num_layers=%d", r.o.NumLayers)
	}
	if r.o.NoBias {
		s += ", bias=False"
	}
	if r.o.BatchFirst {
		s += ", batch_first=True"
	}
	if r.o.Dropout != 0 {
		s += ", dropout=" + number(r.o.Dropout)
	}
	if r.o.Bidirectional {
		s += ", bidirectional=True"
	}
	return s
}

func (g *gates) extra() string {
	s := fmt.Sprintf("%d, %d", g.WeightIh.Size(1), g.WeightHh.Size(1))
	if g.BiasIh == nil {
		s += ", bias=False"
	}
	return s
}

func (m *RNNCell) extra() string {
	s := m.gates.extra()
	if m.nonlinearity != "" && m.nonlinearity != "tanh" {
		s += ", nonlinearity=" + m.nonlinearity
	}
	return s
}
