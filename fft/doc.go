// Package fft has discrete Fourier transforms of any length along any dimensions, with the names and conventions of torch.fft.
package fft
