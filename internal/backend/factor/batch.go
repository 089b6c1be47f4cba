package factor

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/lapack"
)

// Batch factors several small matrices at once. One goroutine uses it, and calls Release at the end. z and others have the matrices of a
// call one behind the other.
type Batch[T lapack.Number] interface {
	Lanes() int // matrices of one call, at most
	Release()

	LU(m, n, count int, x lapack.Matrices[T], z []T, piv, info []int32)
	Cholesky(n, count int, x lapack.Matrices[T], z []T, info []int32)
	// SolveLU has pivots as LU gives them.
	SolveLU(adjoint bool, n, cols, count int, lu lapack.Matrices[T], piv []int32, y lapack.Matrices[T], z []T)
	SolveTriangular(upper, unit bool, n, cols, count int, tri, y lapack.Matrices[T], z []T)
	QR(m, n, count int, x lapack.Matrices[T], q []T, cols int, r []T, rows int)
	Eigh(n, count int, x lapack.Matrices[T], w, v []T, info []int32)
	// SVD gives info -1 for matrices that it leaves to lapack.Solver.
	SVD(m, n, count int, x lapack.Matrices[T], w, u, vh []T, info []int32)
}

// Batches make what factors small matrices up to a size; without Max a device has none.
type Batches struct {
	F32 func() Batch[float32]
	F64 func() Batch[float64]
	Max func() int // the largest number of rows and columns, now: tests switch variants
}

// fewMatrices is the number of matrices from which they are factored several at once.
const fewMatrices = 4

// together reports whether count matrices of this size are factored several at once.
func (j *job[T]) together(count int, sizes ...int) bool {
	if j.most == nil || j.batch == nil || count < fewMatrices {
		return false
	}
	most := j.most()
	for _, n := range sizes {
		if n < 1 || n > most {
			return false
		}
	}
	return true
}

// fewestBlocks is the number of blocks that many small matrices have at least: a goroutine that comes late finds some left.
const fewestBlocks = 16

// groups runs f for all matrices of the batch, several at once; work is the multiply-adds of one.
func (j *job[T]) groups(count, work int, f func(b Batch[T], from, count int)) error {
	b := j.batch()
	lanes := b.Lanes()
	b.Release()
	groups := (count + lanes - 1) / lanes
	per := max(1, blockWork/(work+1)) // lanes share an instruction, so a group counts as one matrix
	per = min(per, max(1, (groups+fewestBlocks-1)/fewestBlocks))
	return j.c.For((groups+per-1)/per, func(block int) {
		b := j.batch()
		defer b.Release()
		for g := block * per; g < min((block+1)*per, groups); g++ {
			f(b, g*lanes, min(lanes, count-g*lanes))
		}
	})
}

// operand returns the matrices of a view: its memory, one matrix that all share, or a copy.
func operand[T lapack.Number](v backend.View, size int) lapack.Matrices[T] {
	if v.Contiguous() || v.Numel() == 0 {
		return lapack.Matrices[T]{Data: dense[T](v), Stride: size}
	}
	d, s := v.Shape.Dims(), v.Strides()
	k := len(d) - 2
	same := s[k+1] == 1 && s[k] == d[k+1] || size == 1
	for i := range k {
		same = same && (s[i] == 0 || d[i] == 1)
	}
	if same {
		return lapack.Matrices[T]{Data: backend.Whole[T](v)[:size]}
	}
	return lapack.Matrices[T]{Data: dense[T](v), Stride: size}
}

// from is x without its first i matrices.
func from[T lapack.Number](x lapack.Matrices[T], i int) lapack.Matrices[T] {
	return lapack.Matrices[T]{Data: x.Data[i*x.Stride:], Stride: x.Stride}
}
