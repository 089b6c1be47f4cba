package cpu

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

// TestMatmulEpilogue: every element is told of once, when it has its final value.
func TestMatmulEpilogue(t *testing.T) {
	for _, d := range []dtype.DType{dtype.Float32, dtype.Float64, dtype.BFloat16, dtype.Float16, dtype.Complex64, dtype.Int32} {
		for _, s := range [][2][]int{
			{{5, 7}, {7, 9}}, {{1, 300}, {300, 400}}, {{70, 130}, {130, 3}}, {{230, 530}, {530, 260}}, {{3, 0}, {0, 4}}, {{0, 3}, {3, 4}},
			{{6, 20, 30}, {6, 30, 33}}, {{2, 3, 65, 66}, {2, 3, 66, 140}}, {{3, 130, 131}, {3, 131, 150}},
		} {
			a, b := plainView(d, s[0]...), plainView(d, s[1]...)
			dims := append(append([]int(nil), s[0][:len(s[0])-1]...), s[1][len(s[1])-1])
			want, got := outputOf(d, dims), outputOf(d, dims)
			n, size := dims[len(dims)-1], d.Size()
			if err := matmul(testCtx(), nil, []backend.View{want}, []backend.View{a, b}); err != nil {
				t.Fatal(err)
			}
			seen := make([]byte, len(got.Bytes()))
			var mu sync.Mutex
			told := 0
			err := matmulThen(testCtx(), got, []backend.View{a, b}, ending{then: func(row, col, rows, cols int) {
				mu.Lock()
				defer mu.Unlock()
				told += rows * cols
				for i := range rows {
					at := ((row+i)*n + col) * size
					copy(seen[at:at+cols*size], got.Bytes()[at:])
				}
			}})
			name := fmt.Sprint(d, s)
			switch {
			case err != nil:
				t.Error(name, err)
			case told != want.Numel():
				t.Errorf("%s: told of %d elements, want %d", name, told, want.Numel())
			case !bytes.Equal(seen, want.Bytes()) || !bytes.Equal(got.Bytes(), want.Bytes()):
				t.Errorf("%s: not the final values", name)
			}
			if !d.IsFloat() || want.Numel() == 0 {
				continue
			}
			clear(seen) // the same without memory for the product
			told = 0
			err = matmulThen(testCtx(), backend.View{DType: d, Shape: got.Shape}, []backend.View{a, b},
				ending{size: want.Numel(), at: func(part unsafe.Pointer, pitch, row, col, rows, cols int) {
					mu.Lock()
					defer mu.Unlock()
					told += rows * cols
					for i := range rows {
						copy(seen[((row+i)*n+col)*size:], unsafe.Slice((*byte)(unsafe.Add(part, i*pitch*size)), cols*size))
					}
				}})
			if err != nil || told != want.Numel() || !bytes.Equal(seen, want.Bytes()) {
				t.Errorf("%s: parts differ, told of %d elements, want %d; %v", name, told, want.Numel(), err)
			}
		}
	}
}
