package simd

// Sums of products of other types. Whole groups of lanes are summed in the order of reduce.go, of float64 in half as many lanes;
// what is left over is a group of its own that zeros fill up, and its sum is added last.
const doubleLanes = lanes / 2

// DotF64 returns the sum of x[i]*y[i] over the length of x.
func DotF64(x, y []float64) (sum float64) {
	y = y[:len(x)]
	n := len(x) &^ (doubleLanes - 1)
	if n > 0 {
		sum = dotF64(x[:n], y[:n])
	}
	if n < len(x) {
		var u, v [doubleLanes]float64
		copy(u[:], x[n:])
		copy(v[:], y[n:])
		sum += dotF64(u[:], v[:])
	}
	return sum
}

// SumF64 returns the sum of x.
func SumF64(x []float64) (sum float64) {
	n := len(x) &^ (doubleLanes - 1)
	if n > 0 {
		sum = sumF64(x[:n])
	}
	if n < len(x) {
		var u [doubleLanes]float64
		copy(u[:], x[n:])
		sum += sumF64(u[:])
	}
	return sum
}

// SumBF16 returns the sum of bfloat16, as float32.
func SumBF16(x []uint16) float32 { return sumHalf(x, sumBF16) }

// SumF16 returns the sum of float16, as float32.
func SumF16(x []uint16) float32 { return sumHalf(x, sumF16) }

func sumHalf(x []uint16, add func(x []uint16) float32) (sum float32) {
	n := len(x) &^ (lanes - 1)
	if n > 0 {
		sum = add(x[:n])
	}
	if n < len(x) {
		var u [lanes]uint16
		copy(u[:], x[n:])
		sum += add(u[:])
	}
	return sum
}

// DotBF16 is DotF32 for bfloat16 and float32.
func DotBF16(x []uint16, y []float32) float32 { return dotHalf(x, y, dotBF16) }

// DotF16 is DotF32 for float16 and float32.
func DotF16(x []uint16, y []float32) float32 { return dotHalf(x, y, dotF16) }

func dotHalf(x []uint16, y []float32, dot func(x []uint16, y []float32) float32) (sum float32) {
	y = y[:len(x)]
	n := len(x) &^ (lanes - 1)
	if n > 0 {
		sum = dot(x[:n], y[:n])
	}
	if n < len(x) {
		var u [lanes]uint16
		var v [lanes]float32
		copy(u[:], x[n:])
		copy(v[:], y[n:])
		sum += dot(u[:], v[:])
	}
	return sum
}

// The twins take whole groups, as the assembly does.

func dotF64Generic(x, y []float64) float64 {
	var l [doubleLanes]float64
	y = y[:len(x)]
	for i, v := range x {
		l[i%doubleLanes] += float64(v * y[i])
	}
	for h := doubleLanes / 2; h > 0; h /= 2 {
		for i := range h {
			l[i] += l[i+h]
		}
	}
	return l[0]
}

func sumF64Generic(x []float64) float64 {
	var l [doubleLanes]float64
	for i, v := range x {
		l[i%doubleLanes] += v
	}
	for h := doubleLanes / 2; h > 0; h /= 2 {
		for i := range h {
			l[i] += l[i+h]
		}
	}
	return l[0]
}

func dotBF16Generic(x []uint16, y []float32) float32 { return dotWidened(x, y, bF16ToF32Generic) }

func dotF16Generic(x []uint16, y []float32) float32 { return dotWidened(x, y, f16ToF32Generic) }

func sumBF16Generic(x []uint16) float32 { return sumWidened(x, bF16ToF32Generic) }

func sumF16Generic(x []uint16) float32 { return sumWidened(x, f16ToF32Generic) }

func sumWidened(x []uint16, widen func(z []float32, x []uint16)) float32 {
	var l, wide [lanes]float32
	for at := 0; at < len(x); at += lanes {
		widen(wide[:], x[at:at+lanes])
		for i, v := range wide {
			l[i] += v
		}
	}
	return treeSum(&l)
}

func dotWidened(x []uint16, y []float32, widen func(z []float32, x []uint16)) float32 {
	var l, wide [lanes]float32
	for at := 0; at < len(x); at += lanes {
		widen(wide[:], x[at:at+lanes])
		for i, v := range y[at : at+lanes] {
			l[i] += float32(wide[i] * v)
		}
	}
	return treeSum(&l)
}
