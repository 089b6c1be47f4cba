package ref

import (
	"github.com/lucid-go/lucid/internal/backend/factor"
	"github.com/lucid-go/lucid/internal/backend/lapack"
)

func init() {
	register(factor.Kernels(factor.Products{
		F32:  func(factor.Loop) lapack.Product[float32] { return lapack.Naive[float32] },
		F64:  func(factor.Loop) lapack.Product[float64] { return lapack.Naive[float64] },
		C64:  func(factor.Loop) lapack.Product[complex64] { return lapack.Naive[complex64] },
		C128: func(factor.Loop) lapack.Product[complex128] { return lapack.Naive[complex128] },
	}))
}
