// Package cufft binds cuFFT, NVIDIA's library of discrete Fourier transforms, opened when first needed. Plans are cached.
package cufft
