//go:build gpu

package main

import "github.com/lucid-go/lucid/cuda"

func init() { gpuDoctor = cuda.Doctor }
