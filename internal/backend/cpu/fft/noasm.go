//go:build !amd64 || purego

package fft

// The functions here report that there is no assembly.

func (st *pass[T]) fast(_, _ []T, _, _ int, _ swaps) bool { return false }

func mulFast[T floats](_, _, _ []T, _ int, _ swaps) bool { return false }

func twistFast[T floats](_, _ []T, _ int) bool { return false }

func splitFast[T floats](_, _ []T, _, _ int) bool { return false }

func joinFast[T floats](_, _ []T, _, _ int) bool { return false }

func halfFast[T floats](_ bool, _, _, _ []T, _, _, _ int, _, _ T) bool { return false }
