//go:build !race

package lanes

import (
	"math"
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"
)

// fenced returns n elements that end, or begin, at a page that may not be touched.
func fenced[T any](t *testing.T, n int, atEnd bool) []T {
	t.Helper()
	var z T
	bytes := n * int(unsafe.Sizeof(z))
	page := syscall.Getpagesize()
	size := (bytes + page - 1) / page * page
	m, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skipf("mmap: %v", err)
	}
	t.Cleanup(func() { syscall.Munmap(m) })
	for _, p := range [][]byte{m[:page], m[page+size:]} {
		if err := syscall.Mprotect(p, syscall.PROT_NONE); err != nil {
			t.Skipf("mprotect: %v", err)
		}
	}
	at := page
	if atEnd {
		at = page + size - bytes
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&m[at])), n)
}

// TestGuardPages: nothing outside the operands and the cells is touched. The cells are exactly as many as a call takes.
func TestGuardPages(t *testing.T) {
	if New[float32]() == nil {
		t.Skip("no vectors")
	}
	for _, s := range [][2]int{{1, 1}, {3, 3}, {4, 4}, {8, 8}, {13, 13}, {5, 9}, {9, 5}, {32, 32}} {
		for _, atEnd := range []bool{false, true} {
			guarded[float32](t, s[0], s[1], atEnd)
			guarded[float64](t, s[0], s[1], atEnd)
		}
	}
}

func guarded[T Float](t *testing.T, m, n int, atEnd bool) {
	r := rand.New(rand.NewPCG(uint64(m), uint64(n)))
	k := min(m, n)
	for _, count := range []int{New[T]().Lanes(), 3} {
		// run calls f twice: first to find how many cells it takes, then with these behind a fence.
		run := func(f func(b *Batch[T])) {
			b := New[T]()
			b.arena = make([]T, 1<<20)
			f(b)
			b.arena = fenced[T](t, b.used, true)
			f(b)
		}
		a := fenced[T](t, count*m*n, atEnd)
		for i := range a {
			a[i] = T(r.NormFloat64())
		}
		z, w, u, v := fenced[T](t, count*m*n, atEnd), fenced[T](t, count*max(k, n), atEnd), fenced[T](t, count*m*k, atEnd),
			fenced[T](t, count*k*n, atEnd)
		piv, info := fenced[int32](t, count*k, atEnd), fenced[int32](t, count, atEnd)
		run(func(b *Batch[T]) { b.LU(m, n, count, matrices(a, count), z, piv, info) })
		run(func(b *Batch[T]) { b.QR(m, n, count, matrices(a, count), u, k, v, k) })
		run(func(b *Batch[T]) { b.SVD(m, n, count, matrices(a, count), w, u, v, info) })
		if m != n {
			continue
		}
		run(func(b *Batch[T]) { b.SolveLU(false, n, 1, count, matrices(z, count), piv, matrices(w, count), w) })
		run(func(b *Batch[T]) { b.SolveLU(true, n, n, count, matrices(z, count), piv, matrices(a, count), u) })
		run(func(b *Batch[T]) { b.Cholesky(n, count, matrices(a, count), z, info) })
		run(func(b *Batch[T]) { b.Eigh(n, count, matrices(a, count), w, z, info) })
	}
}

// TestRotateGuard: the rows of a sweep of rotations, and its cosines and sines, are all that is touched; both directions give the same as
// one rotation after the other.
func TestRotateGuard(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, cols := range []int{8, 16, 40, 72, 7} {
		for _, step := range []int{1, -1, 3} {
			const count = 4
			rows := count*max(step, -step) + 1
			z, c, s := fenced[float64](t, rows*cols, true), fenced[float64](t, count, true), fenced[float64](t, count, false)
			for i := range z {
				z[i] = r.NormFloat64()
			}
			for i := range c {
				s[i], c[i] = math.Sincos(r.Float64() * 6)
			}
			from := 0
			if step < 0 {
				from = rows - 1
			}
			want := append([]float64(nil), z...)
			for i := range c {
				for k := range cols {
					x, y := &want[(from+i*step)*cols+k], &want[(from+(i+1)*step)*cols+k]
					*x, *y = math.FMA(c[i], *x, s[i]**y), math.FMA(c[i], *y, -(s[i]**x))
				}
			}
			Rotate(z, cols, cols, from, step, c, s)
			for i := range z {
				if z[i] != want[i] {
					t.Fatalf("%d columns, step %d: element %d is %v, want %v", cols, step, i, z[i], want[i])
				}
			}
		}
	}
}

// TestTriplesGuard is TestRotateGuard for reflectors of three rows.
func TestTriplesGuard(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, cols := range []int{8, 16, 40, 72, 5} {
		for _, count := range []int{1, 2, 16} {
			x, f := fenced[float64](t, (count+2)*cols, true), fenced[float64](t, 3*count, true)
			for i := range x {
				x[i] = r.NormFloat64()
			}
			for i := range f {
				f[i] = r.NormFloat64()
			}
			want := append([]float64(nil), x...)
			for i := range count {
				u1, u2, tau := f[3*i], f[3*i+1], f[3*i+2]
				for k := range cols {
					a, b, c := &want[i*cols+k], &want[(i+1)*cols+k], &want[(i+2)*cols+k]
					s := math.FMA(u2, *c, math.FMA(u1, *b, *a)) * tau
					*a, *b, *c = *a-s, math.FMA(-u1, s, *b), math.FMA(-u2, s, *c)
				}
			}
			Triples(x, cols, cols, f)
			for i := range x {
				if x[i] != want[i] {
					t.Fatalf("%d columns, %d reflectors: element %d is %v, want %v", cols, count, i, x[i], want[i])
				}
			}
		}
	}
}

// TestPolesGuard: the sums are those of lanes, for any number of elements.
func TestPolesGuard(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for n := range 30 {
		x, z := fenced[float64](t, n, true), fenced[float64](t, n, false)
		var want [16]float64
		const at = 0.25
		for i := range x {
			x[i], z[i] = r.NormFloat64(), r.Float64()
			f := z[i] * (1 / (x[i] - at))
			want[i%8] += f
			want[8+i%8] = math.FMA(f, 1/(x[i]-at), want[8+i%8])
		}
		a, b := lanesSum(want[:8]), lanesSum(want[8:])
		if sum, slope := Poles(x, z, at); sum != a || slope != b {
			t.Fatalf("%d: %v and %v, want %v and %v", n, sum, slope, a, b)
		}
	}
}

// TestSymmetricGuard: the product is that of the whole matrix, though above the blocks on the diagonal nothing is read.
func TestSymmetricGuard(t *testing.T) {
	if New[float32]() == nil {
		t.Skip("no vectors")
	}
	for _, n := range []int{8, 16, 24, 40, 64, 136} {
		symmetricGuard[float32](t, n, 1e-5)
		symmetricGuard[float64](t, n, 1e-13)
	}
}

func symmetricGuard[T Float](t *testing.T, n int, tol float64) {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	for _, ld := range []int{n, n + 3} {
		a, x, y := fenced[T](t, (n-1)*ld+n, true), fenced[T](t, n, true), fenced[T](t, n, true)
		want := make([]float64, n)
		for i := range n {
			x[i], y[i] = T(r.NormFloat64()), T(math.NaN())
		}
		for i := range n {
			for j := range n {
				a[i*ld+j] = T(math.NaN())
			}
		}
		for i := range n {
			for j := range i + 1 {
				v := T(r.NormFloat64())
				a[i*ld+j] = v
				want[i] += float64(v) * float64(x[j])
				if i != j {
					want[j] += float64(v) * float64(x[i])
				}
				if i/8 == j/8 {
					a[j*ld+i] = v
				}
			}
		}
		if !Symmetric(a, ld, x, y) {
			t.Fatal("there are vectors")
		}
		for i := range y {
			if !(math.Abs(float64(y[i])-want[i]) <= tol*float64(n)) {
				t.Fatalf("%d rows: element %d is %v, want %v", n, i, y[i], want[i])
			}
		}
	}
}
