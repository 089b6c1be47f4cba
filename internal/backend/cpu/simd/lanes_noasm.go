//go:build purego || (!amd64 && !arm64)

package simd

func laneWidth() int { return 0 }

func laneSums(z, x, w []float32, t *LaneTaps, n, zstep, xstep int) bool { return false }

func laneGrads(sums, g, x []float32, d *LaneGrad) bool { return false }
