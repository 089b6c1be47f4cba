//go:build (!amd64 && !arm64) || purego

package qmm

import "github.com/lucid-go/lucid/internal/ggml"

const useVNNI, useAMX, useAVX2, useDot, useRows512 = false, false, false, false, false

func quantizeAVX512(blocks int, dst *byte, x *float32, offset, groups int) {}

func quantizeAVX2(blocks int, dst *byte, x *float32, offset, groups int, mins bool) {}

func fetchLines(from *byte, lines int) {}

var rowsKernels map[ggml.Type]*[rowsWide]rowsKernel
