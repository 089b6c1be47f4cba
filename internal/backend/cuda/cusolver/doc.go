// Package cusolver binds cuSOLVER, NVIDIA's library of dense factorisations, and the triangular solver of cuBLAS, which cuSOLVER
// needs itself. Both are opened when first needed. Matrices are column-major, one a call.
package cusolver
