package lucid_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestClampZero asks for the sign of a zero that PyTorch gives at a bound which is a zero of the other sign: that of the input, in
// vector kernels and their tails, alone and fused with other ops.
func TestClampZero(t *testing.T) {
	devices := []lucid.Device{lucid.CPU, {Type: "ref"}}
	if d := lucid.DefaultDevice(); !slices.Contains(devices, d) {
		devices = append(devices, d)
	}
	minus := math.Copysign(0, -1)
	for _, device := range devices {
		for _, d := range []lucid.DType{lucid.Float32, lucid.Float64, lucid.Float16, lucid.BFloat16} {
			for _, n := range []int{1, 3, 17, 100} {
				lucid.WithDevice(device, func() {
					negative := lucid.Full([]int{n}, minus).To(d)
					zero := lucid.Zeros(n).To(d)
					for name, c := range map[string]struct {
						x    *lucid.Tensor
						want bool // negative
					}{
						"clamp(-0, 0, 1)":          {negative.Clamp(0, 1), true},
						"clamp_min(-0, 0)":         {negative.ClampMin(0), true},
						"clamp_max(-0, 0)":         {negative.ClampMax(0), true},
						"clamp(0, -0, 1)":          {zero.Clamp(minus, 1), false},
						"clamp_max(0, -0)":         {zero.ClampMax(minus), false},
						"relu(-0)":                 {negative.ReLU(), true},
						"clamp(-0, 0, 1) · 2, min": {negative.Mul(2).Clamp(0, 1).Mul(2).ClampMin(0), true},
					} {
						for i, v := range lucid.ToSlice[float64](c.x) {
							if v != 0 || math.Signbit(v) != c.want {
								t.Errorf("%v %v %s: %v at %d of %d", device, d, name, fmt.Sprintf("%+v", v), i, n)
								break
							}
						}
					}
					for name, x := range map[string]*lucid.Tensor{"a NaN": lucid.Full([]int{n}, math.NaN()).To(d).Clamp(0, 1),
						"a bound": zero.ClampMin(math.NaN())} {
						if v := lucid.ToSlice[float64](x); !math.IsNaN(v[0]) || !math.IsNaN(v[n-1]) {
							t.Errorf("%v %v: %s gives %v", device, d, name, v)
						}
					}
				})
			}
		}
	}
}
