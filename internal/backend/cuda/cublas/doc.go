// Package cublas binds cuBLASLt, NVIDIA's library of matrix products, opened when first needed. Float32 is computed in
// float32: TF32, which keeps ten bits of the operands, is off unless it is asked for. The algorithm of a kind of product is
// chosen once, by the clock where the product is large, and remembered on disk.
package cublas
