package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
)

// Runs of 8-byte elements are folded by vectors: element i meets lane i%runLanes in the order of i, then the upper half of
// the lanes meets the lower until eight are left. The order depends on the length alone. Each fold is written out, because the
// lanes of a function that was handed in would lie on the heap.
const (
	runLanes = 128
	runFrom  = 2 * runLanes // shorter runs are folded one by one
)

// extremeFrom is from how many elements on extremes are found by vectors; in which order makes no difference to them.
const extremeFrom = 32

// extremeLanes is how many lanes the extreme of n elements takes: at most half of them.
func extremeLanes(n int) int { return min(runLanes, 1<<(bits.Len(uint(n))-2)) }

// sumRunF64 adds at least runLanes elements.
func sumRunF64(x []float64) float64 {
	var t [runLanes]float64
	copy(t[:], x)
	for x = x[runLanes:]; len(x) > 0; {
		n := min(len(x), runLanes)
		simd.AddF64(t[:n], t[:n], x[:n])
		x = x[n:]
	}
	for h := runLanes / 2; h >= 8; h /= 2 {
		simd.AddF64(t[:h], t[:h], t[h:2*h])
	}
	return ((t[0] + t[4]) + (t[2] + t[6])) + ((t[1] + t[5]) + (t[3] + t[7]))
}

// maxRunF64 takes the largest of at least extremeFrom elements.
func maxRunF64(x []float64) float64 {
	var t [runLanes]float64
	w := extremeLanes(len(x))
	copy(t[:w], x)
	for x = x[w:]; len(x) > 0; {
		n := min(len(x), w)
		simd.MaxF64(t[:n], t[:n], x[:n])
		x = x[n:]
	}
	for h := w / 2; h >= 8; h /= 2 {
		simd.MaxF64(t[:h], t[:h], t[h:2*h])
	}
	return max(max(max(t[0], t[4]), max(t[2], t[6])), max(max(t[1], t[5]), max(t[3], t[7])))
}

// minRunF64 takes the smallest of at least extremeFrom elements.
func minRunF64(x []float64) float64 {
	var t [runLanes]float64
	w := extremeLanes(len(x))
	copy(t[:w], x)
	for x = x[w:]; len(x) > 0; {
		n := min(len(x), w)
		simd.MinF64(t[:n], t[:n], x[:n])
		x = x[n:]
	}
	for h := w / 2; h >= 8; h /= 2 {
		simd.MinF64(t[:h], t[:h], t[h:2*h])
	}
	return min(min(min(t[0], t[4]), min(t[2], t[6])), min(min(t[1], t[5]), min(t[3], t[7])))
}

// sumRunI64 adds at least runLanes elements.
func sumRunI64(x []int64) int64 {
	var t [runLanes]int64
	copy(t[:], x)
	for x = x[runLanes:]; len(x) > 0; {
		n := min(len(x), runLanes)
		simd.AddI64(t[:n], t[:n], x[:n])
		x = x[n:]
	}
	for h := runLanes / 2; h >= 8; h /= 2 {
		simd.AddI64(t[:h], t[:h], t[h:2*h])
	}
	return ((t[0] + t[4]) + (t[2] + t[6])) + ((t[1] + t[5]) + (t[3] + t[7]))
}

// maxRunI64 takes the largest of at least extremeFrom elements.
func maxRunI64(x []int64) int64 {
	var t [runLanes]int64
	w := extremeLanes(len(x))
	copy(t[:w], x)
	for x = x[w:]; len(x) > 0; {
		n := min(len(x), w)
		simd.MaxI64(t[:n], t[:n], x[:n])
		x = x[n:]
	}
	for h := w / 2; h >= 8; h /= 2 {
		simd.MaxI64(t[:h], t[:h], t[h:2*h])
	}
	return max(max(max(t[0], t[4]), max(t[2], t[6])), max(max(t[1], t[5]), max(t[3], t[7])))
}

// minRunI64 takes the smallest of at least extremeFrom elements.
func minRunI64(x []int64) int64 {
	var t [runLanes]int64
	w := extremeLanes(len(x))
	copy(t[:w], x)
	for x = x[w:]; len(x) > 0; {
		n := min(len(x), w)
		simd.MinI64(t[:n], t[:n], x[:n])
		x = x[n:]
	}
	for h := w / 2; h >= 8; h /= 2 {
		simd.MinI64(t[:h], t[:h], t[h:2*h])
	}
	return min(min(min(t[0], t[4]), min(t[2], t[6])), min(min(t[1], t[5]), min(t[3], t[7])))
}

// byLanes finds the extreme of runs of short elements by a kernel of vectors: neither the order matters to it nor whether it sees an
// element twice. What is shorter than its lanes is folded by one.
func byLanes[T any](one func(a T, x []T) T, two func(z, x, y []T)) func(a T, x []T) T {
	const few, many = 64, 512 // lanes
	return func(a T, x []T) T {
		n, w := len(x), few
		if n < few {
			return one(a, x)
		}
		if n >= 2*many {
			w = many
		}
		buf := floatTiles.Get().(*floatTile)
		defer floatTiles.Put(buf)
		t, u := elems[T](unsafe.Pointer(buf), many), elems[T](unsafe.Pointer(&buf[2*many]), 2*few)
		two(t[:w], x[:w], x[n-w:])
		for i := w; i+w <= n; i += w {
			two(t[:w], t[:w], x[i:i+w])
		}
		for ; w > few; w /= 2 {
			two(t[:w/2], t[:w/2], t[w/2:w])
		}
		// Whole vectors: those behind the first h elements mean nothing any more.
		for h := few / 2; h > 0; h /= 2 {
			two(u[:few], t[:few], t[h:h+few])
			t, u = u, t
		}
		return one(a, t[:1])
	}
}
