package fft

// fast does the butterflies in assembly, if there is one for the radix.
func (st *pass[T]) fast(_, _ []T, _, _ int) bool { return false }

// lanesFast is the assembly of a product of lanes with pairs, if there is one.
func lanesFast[T floats](_ int, _, _, _ []T, _ int) bool { return false }

// twistFast is the assembly of twistLanes.
func twistFast[T floats](_, _ []T, _ int) bool { return false }

// loadFast and saveFast are the assembly of load and save, for rows whose elements are next to each other and for neighbouring rows.
func loadFast[T floats](_, _ []T, _ *lanes, _ int, _ bool) bool { return false }

func saveFast[T floats](_, _ []T, _ *lanes, _ int, _ bool, _ T) bool { return false }
