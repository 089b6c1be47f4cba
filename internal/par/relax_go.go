//go:build !(amd64 || arm64) || purego

package par

// relax is an instruction that Go code cannot name.
func relax() {}
