//go:build !linux && !windows && !darwin

package mem

// machine: not known.
func machine() int64 { return 0 }

func available() (free, resident int64, ok bool) { return 0, 0, false }
