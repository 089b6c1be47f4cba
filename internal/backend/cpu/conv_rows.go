package cpu

import "github.com/lucid-go/lucid/internal/backend/cpu/simd"

// copyRows copies a row of each of some channels: to[c·next+i] is element first + i·step of row (i0, i1) of the channel
// at base + c·channelStep, or zero outside the input.
func (j *convJob[T]) copyRows(to []T, next, base, channels, i0, i1, first, step, n int) {
	in := j.size
	if uint(i0) >= uint(in[0]) || uint(i1) >= uint(in[1]) {
		for c := range channels {
			clear(to[c*next:][:n])
		}
		return
	}
	lo := min(n, max(0, ceil(-first, step)))
	hi := min(n, max(lo, ceil(in[2]-first, step)))
	at, by := base+i0*j.step[0]+i1*j.step[1]+(first+lo*step)*j.step[2], step*j.step[2]
	if lo < hi && j.turned(to, next, channels, at, by, lo, hi, n) {
		return
	}
	for c := range channels {
		row := to[c*next:][:n]
		clear(row[:lo])
		clear(row[hi:])
		if lo < hi {
			j.read(row[lo:hi], at+c*j.channelStep, by)
		}
	}
}

// read copies elements that are a step apart.
func (j *convJob[T]) read(to []T, at, by int) {
	switch {
	case j.x == nil:
		j.load(to, at, by)
	case by == 1:
		copy(to, j.x[at:at+len(to)])
	default:
		from := j.x[at:]
		for e := range to {
			to[e] = from[e*by]
		}
	}
}

// turned copies elements lo to hi of rows whose channels lie side by side, clearing the others, and reports whether it did.
func (j *convJob[T]) turned(to []T, next, channels, at, by, lo, hi, n int) bool {
	z, ok := any(to).([]float32)
	if !ok || j.x == nil || j.channelStep != 1 || channels < 8 {
		return false
	}
	simd.TransposeBlockF32(z[lo:], next, any(j.x).([]float32)[at:], by, hi-lo, channels)
	for c := range channels {
		clear(to[c*next:][:lo])
		clear(to[c*next:][hi:n])
	}
	return true
}
