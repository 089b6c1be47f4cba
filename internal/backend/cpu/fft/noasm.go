//go:build !amd64 || purego

package fft

// The functions here report that there is no assembly.

func vectorBytes() int { return 64 }

func (st *pass[T]) fast(_, _ []T, _, _ int, _ steps, _ swaps) bool { return false }

func mulFast[T floats](_, _, _ []T, _ int, _ swaps) bool { return false }

func twistFast[T floats](_, _ []T, _ int, _ swaps) bool { return false }

func splitFast[T floats](_, _ []T, _, _ int) bool { return false }

func joinFast[T floats](_, _ []T, _, _ int) bool { return false }

func halfFast[T floats](_ bool, _, _, _ []T, _, _, _ int, _, _ T) bool { return false }

func hasRows() bool { return false }

func planesFast[T floats](_ *pass[T], _, _ []T, _, _ int, _ swaps) {}

func (st *pass[T]) vectors(_, _ []T, _ int, _ swaps) {}

func mulRow[T floats](_, _ []T, _, _ int, _ swaps) {}

func halfRowFast[T floats](_ bool, _ *halfBlock[T], _, _ T) {}

func transposeVector() int { return 0 }

func transposeFast64(_ []float64, _ int, _ []float64, _, _ int) {}

func (st *pass[T]) hasPairs(_ bool) bool { return false }

func streamsLast[T floats](_ *plan[T]) bool { return false }

func (st *pass[T]) fromPairs(_, _ []T, _, _ int, _ bool, _ func()) {}

func (st *pass[T]) toPairs(_, _ []T, _ int, _ again, _, _ bool, _ T, _ func()) {}

func twistTransposeFast[T floats](_ []T, _ int, _, _ []T, _ int) bool { return false }

func fromRowsFast[T floats](_ []T, _ int, _ []T, _, _ int) bool { return false }

func toRowsFast[T floats](_ []T, _ int, _ []T, _, _ int) bool { return false }

func hasTensors[T floats]() bool { return false }

func openFast[T floats](_ *pass[T], _, _, _ []T, _ again, _ bool) {}

func (s *straight[T]) hasPasses() bool { return false }

func (s *straight[T]) passesFast(_, _ []T, _ again, _ []T, _ swaps, _ bool, _ T) bool { return false }

func openHalfFast[T floats](_ *pass[T], _, _, _ []T) {}

func openFilterFast[T floats](_ *pass[T], _, _, _, _ []T) {}

func chirpFast[T floats](_, _, _ []T, _ int, _ bool) {}

func frontFast[T floats](_ *pass[T], _, _, _ []T, _ bool, _ T) bool { return false }

func secondFast[T floats](_ *pass[T], _, _, _ []T, _ again) {}

func wholeHasLanes() bool { return false }

func wholeFast[T floats](_, _, _ []T, _ int, _, _ bool, _ T) {}

func halfPairs[T floats](_ bool, _, _, _ []T, _, _, _ int, _ again, _, _ T) {}

func (st *pass[T]) hasTight() bool { return false }

func tightFast[T floats](_ *pass[T], _, _, _, _ []T, _, _ int, _ bool) {}
