package backendtest

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/quantize"
)

var groupTypes = []dtype.DType{dtype.Float32, dtype.BFloat16, dtype.Float16}

// groups quantize and multiply in every format of MLX. Sizes have whole and cut tiles, one row and several launches of rows.
func groups() (all []check) {
	i := 0
	for _, m := range []quantize.Mode{quantize.Affine, quantize.MXFP4, quantize.MXFP8, quantize.NVFP4} {
		bits, sizes := m.Choices()
		for _, b := range bits {
			for _, g := range sizes {
				o := ops.QuantizedOptions{Mode: m.String(), Bits: b, GroupSize: g}
				k := max(g, 32)
				all = append(all, groupValues(o, 5+i%7, k*(1+i%3)),
					groupProduct(o, "few", 7+i*5%30, k*(1+i%5), 1+i%4),
					groupProduct(o, "many", 3+i*7%40, k*(1+i%4), []int{9, 13, 17, 25, 40}[i%5]))
				if i%3 == 0 {
					all = append(all, groupOthers(o, 4+i%5, k*(1+i%2), 1+i%6))
				}
				i++
			}
		}
	}
	nothing := ops.QuantizedOptions{}
	long := ops.QuantizedOptions{Bits: 4, GroupSize: 64}
	return append(all, groupProduct(nothing, "no_rows", 9, 64, 0), groupProduct(long, "long", 20, 4160, 2),
		groupProduct(ops.QuantizedOptions{Mode: "nvfp4"}, "long", 33, 2080, 17), groupProduct(long, "wide", 530, 128, 1))
}

func groupName(what string, o ops.QuantizedOptions) string {
	return fmt.Sprintf("%s/%s%d_%d", what, o.Mode, o.Bits, o.GroupSize)
}

// groupValues quantizes n rows of k elements and dequantizes them, to the same bits. Some groups are zero, some have one size.
func groupValues(o ops.QuantizedOptions, n, k int) check {
	list := make([]float64, n*k)
	for i := range list {
		switch group := i / 16 % 11; group {
		case 3:
		case 5:
			list[i] = 0.37
		default:
			list[i] = float64(i*7919%509-170) / 128 * float64(group+1)
		}
	}
	return check{name: groupName("quantize_groups", o), dtypes: groupTypes, exact: true, in: []input{{shape: []int{n, k}, list: list}},
		f: func(in []*node) []*node {
			packed, scales, biases := ops.Quantize(in[0], o)
			out := []*node{packed, scales}
			if biases != nil {
				out = append(out, biases)
			}
			out = append(out, ops.DequantizeGroups(packed, scales, biases, o, in[0].DType()))
			if k%256 == 0 { // other types are kernels of their own
				out = append(out, ops.DequantizeGroups(packed, scales, biases, o, dtype.Float32),
					ops.DequantizeGroups(packed, scales, biases, o, dtype.BFloat16))
			}
			return out
		}}
}

// groupProduct multiplies m rows with n quantized rows of k elements.
func groupProduct(o ops.QuantizedOptions, what string, n, k, m int) check {
	return check{name: groupName("quantized_matmul/"+what, o), dtypes: groupTypes, loose: true,
		in: []input{{lo: -1, hi: 1, shape: []int{m, k}}, {lo: -128.0 / float64(k), hi: 64.0 / float64(k), shape: []int{n, k}}},
		f: func(in []*node) []*node {
			packed, scales, biases := ops.Quantize(in[1], o)
			return []*node{ops.QuantizedMatmul(in[0], packed, scales, biases, o, false, false)}
		}}
}

// groupOthers multiplies from the other side, with stacks and with chosen matrices of stacks.
func groupOthers(o ops.QuantizedOptions, n, k, m int) check {
	return check{name: groupName("quantized_matmul/others", o), dtypes: groupTypes, loose: true,
		in: []input{{lo: -1, hi: 1, shape: []int{3, m, k}}, {lo: -2, hi: 1, shape: []int{3, n, k}}, {lo: -1, hi: 1, shape: []int{3, m, n}},
			index([]float64{0, 2, 2, 1}, 4), index([]float64{2, 0, 1, 1}, 4)},
		f: func(in []*node) []*node {
			packed, scales, biases := ops.Quantize(in[1], o)
			return []*node{ops.QuantizedMatmul(in[0], packed, scales, biases, o, false, false),
				ops.QuantizedMatmul(in[2], packed, scales, biases, o, true, false),
				ops.GatherQuantizedMatmul(in[0], packed, scales, biases, in[3], in[4], o, false),
				ops.GatherQuantizedMatmul(in[2], packed, scales, biases, in[3], in[4], o, true)}
		}}
}
