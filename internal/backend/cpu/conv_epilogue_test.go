package cpu

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

// TestConvThen: every element is told of once, when it has its final value, whichever way computes it.
func TestConvThen(t *testing.T) {
	convolutions.AnyWinograd = true
	defer func() { convolutions.AnyWinograd = false }()
	type conv struct {
		x, w              []int
		stride, pad, wide int // wide: zeros between the input's elements, and one
		groups            int
		winograd          bool
	}
	for _, d := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.BFloat16, dtype.Int32} {
		for _, s := range []conv{
			{x: []int{3, 20, 9, 9}, w: []int{33, 20, 3, 3}, stride: 1, pad: 1, wide: 1, groups: 1},                   // by output positions
			{x: []int{2, 100, 15, 11}, w: []int{40, 100, 3, 3}, stride: 2, pad: 1, wide: 1, groups: 1},               // several chunks
			{x: []int{2, 3, 30, 30}, w: []int{16, 3, 3, 3}, stride: 1, pad: 1, wide: 1, groups: 1},                   // the direct way
			{x: []int{2, 5, 8, 8}, w: []int{7, 5, 1, 1}, stride: 1, wide: 1, groups: 1},                              // pointwise
			{x: []int{2, 6, 12, 12}, w: []int{6, 1, 3, 3}, stride: 1, pad: 1, wide: 1, groups: 6},                    // depthwise
			{x: []int{2, 16, 12, 13}, w: []int{16, 16, 3, 3}, stride: 1, pad: 1, wide: 1, groups: 1, winograd: true}, // Winograd
			{x: []int{2, 16, 6, 6}, w: []int{32, 16, 3, 3}, stride: 1, pad: 2, wide: 2, groups: 1},                   // phases
			{x: []int{2, 4, 20, 20}, w: []int{4, 4, 18, 18}, stride: 1, wide: 1, groups: 1},                          // by columns, im2col
			{x: []int{1, 4, 2000}, w: []int{16, 4, 60}, stride: 1, wide: 1, groups: 1},                               // long rows
			{x: []int{2, 4, 5, 5}, w: []int{3, 4, 2, 2}, stride: 3, wide: 1, groups: 1},
		} {
			k := len(s.x) - 2
			each := func(v int) attr.Ints { return attr.MakeInts([]int{v, v, v}[:k]...) }
			a := attr.Conv{Stride: each(s.stride), Low: each(s.pad), High: each(s.pad), KernelDilation: each(1),
				InputDilation: each(s.wide), Groups: s.groups, Winograd: s.winograd}
			dims := []int{s.x[0], s.w[0]}
			for e := range k {
				dims = append(dims, a.Size(e, s.x[2+e], s.w[2+e]))
			}
			in := []backend.View{plainView(d, s.x...), plainView(d, s.w...)}
			want, got := outputOf(d, dims), outputOf(d, dims)
			if err := convolutions.Run(testCtx(), a, want, in, nil); err != nil {
				t.Fatal(err)
			}
			n, size := volume(dims[2:]), d.Size()
			seen := make([]byte, len(got.Bytes()))
			var mu sync.Mutex
			told := 0
			err := convolutions.Run(testCtx(), a, got, in, func(row, col, rows, cols int) {
				mu.Lock()
				defer mu.Unlock()
				told += rows * cols
				for i := range rows {
					at := ((row+i)*n + col) * size
					copy(seen[at:at+cols*size], got.Bytes()[at:])
				}
			})
			name := fmt.Sprint(d, s)
			switch {
			case err != nil:
				t.Error(name, err)
			case told != want.Numel():
				t.Errorf("%s: told of %d elements, want %d", name, told, want.Numel())
			case !bytes.Equal(seen, want.Bytes()) || !bytes.Equal(got.Bytes(), want.Bytes()):
				t.Errorf("%s: not the final values", name)
			}
		}
	}
}
