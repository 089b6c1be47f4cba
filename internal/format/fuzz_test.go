package format

import (
	"math"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/internal/dtype"
)

// FuzzTensor: whatever the bits, shape and options, the text is whole and names each dimension by its brackets.
func FuzzTensor(f *testing.F) {
	f.Add([]byte{2, 3}, uint8(12), []byte("some bytes"), 4, 1000, 3, 80, uint8(0))
	f.Add([]byte{}, uint8(13), []byte{0, 0, 0xc0, 0x7f}, 0, 0, 0, 0, uint8(1))
	f.Add([]byte{5, 0, 2}, uint8(1), []byte{1}, -1, -1, -1, -1, uint8(2))
	f.Add([]byte{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2}, uint8(14), []byte{0xff, 0xf8}, 9, 1, 1, 10, uint8(1))
	f.Fuzz(func(t *testing.T, dims []byte, dt uint8, data []byte, prec, threshold, edge, width int, sci uint8) {
		d := dtype.All()[int(dt)%len(dtype.All())]
		var shape []int
		n := 1
		for _, s := range dims[:min(len(dims), 16)] {
			if k := int(s % 9); n*k <= 4096 {
				shape, n = append(shape, k), n*k
			}
		}
		buf := make([]byte, max(n, 1)*d.Size())
		for i := range buf {
			if len(data) > 0 {
				buf[i] = data[i%len(data)]
			}
		}
		o := Options{Precision: prec % 50, Threshold: threshold, EdgeItems: edge, LineWidth: width}
		if sci%3 > 0 {
			force := sci%3 == 1
			o.SciMode = &force
		}
		text := Tensor(o, d, shape, func(i int) dtype.Scalar { return d.Get(buf, i) }, []string{"requires_grad=True"})
		checkText(t, text, len(shape), n)
	})
}

func checkText(t *testing.T, text string, rank, n int) {
	t.Helper()
	body, ok := strings.CutPrefix(text, "tensor(")
	if !ok || !strings.HasSuffix(text, "requires_grad=True)") {
		t.Fatalf("not framed: %q", text)
	}
	depth, deepest := 0, 0
	for _, r := range body {
		switch r {
		case '[':
			depth++
		case ']':
			depth--
		}
		deepest = max(deepest, depth)
		if depth < 0 {
			t.Fatalf("a bracket closes that was not opened: %q", text)
		}
	}
	if depth != 0 {
		t.Fatalf("%d brackets left open: %q", depth, text)
	}
	want := rank
	if n == 0 || strings.Contains(body, "[...]") {
		want = 1 // one pair stands for all
	}
	if deepest != want {
		t.Fatalf("rank %d but brackets %d deep: %q", rank, deepest, text)
	}
}

// The limits of int as options must not wrap around inside.
func TestOptionExtremes(t *testing.T) {
	t.Parallel()
	for _, v := range []int{math.MinInt, -1, 0, 1, math.MaxInt} {
		o := Options{Precision: 4, Threshold: v, EdgeItems: v, LineWidth: v}
		checkText(t, Tensor(o, dtype.Float32, []int{2, 2}, of[float32](1, 2, 3, 4.5), []string{"requires_grad=True"}), 2, 4)
	}
}
