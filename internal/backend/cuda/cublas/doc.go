// Package cublas binds cuBLASLt, NVIDIA's matmul library, opened when first needed. Float32 is computed in float32: TF32,
// which has ten bits of mantissa, is off by default. The algorithm of a kind of product is chosen once, by timing where the
// product is large, and cached on disk.
package cublas
