//go:build purego || !(amd64 || arm64)

package kernel

func engine32() *engine[float32] { return generic32 }
func engine64() *engine[float64] { return generic64 }
