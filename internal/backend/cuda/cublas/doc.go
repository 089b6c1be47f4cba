// Package cublas binds NVIDIA's library of matrix products, opened when first needed. Float32 is computed in float32:
// TF32, which keeps ten bits of the operands, is off.
package cublas
