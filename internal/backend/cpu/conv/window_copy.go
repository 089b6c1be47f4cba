package conv

import (
	"github.com/lucid-go/lucid/internal/backend/cpu/layout"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
)

// inputWindow is a rectangle of the input, perhaps reaching out of it: rows from index high on, highStep apart, and in them
// elements from index wide on, wideStep apart. It is copied to rows of pitch elements; zeros are what is outside.
type inputWindow struct {
	i0                   int
	high, highStep, rows int
	wide, wideStep       int
	pitch                int
	tail                 int // zeros behind the last row
}

// copyWindow copies the window of some channels, whose planes are next apart in the copy and the first of which is at
// base in the input.
func (j *job[T]) copyWindow(to []T, next, base, channels int, w *inputWindow) {
	r0, r1 := layout.Inside(w.high, w.highStep, w.rows, j.size[1])
	lo, hi := layout.Inside(w.wide, w.wideStep, w.pitch, j.size[2])
	if uint(w.i0) >= uint(j.size[0]) || lo == hi {
		r0, r1 = 0, 0
	}
	for c := range channels {
		plane := to[c*next:][:w.rows*w.pitch+w.tail]
		clear(plane[:r0*w.pitch])
		clear(plane[r1*w.pitch:])
	}
	if r0 == r1 {
		return
	}
	at := base + w.i0*j.step[0] + (w.high+r0*w.highStep)*j.step[1] + (w.wide+lo*w.wideStep)*j.step[2]
	srs, by := w.highStep*j.step[1], w.wideStep*j.step[2]
	to = to[r0*w.pitch:]
	x, ok := any(j.x).([]float32)
	z, _ := any(to).([]float32)
	switch {
	case ok && j.x != nil && j.channelStep == 1 && channels >= 8:
		for r := range r1 - r0 {
			simd.TransposeBlockF32(z[r*w.pitch+lo:], next, x[at+r*srs:], by, hi-lo, channels)
			for c := range channels {
				row := to[c*next+r*w.pitch:][:w.pitch]
				clear(row[:lo])
				clear(row[hi:])
			}
		}
	case ok && j.x != nil:
		for c := range channels {
			simd.PadRowsF32(z[c*next:], w.pitch, x[at+c*j.channelStep:], srs, by, r1-r0, lo, hi-lo, w.pitch-hi, 2*j.channelStep)
		}
	default:
		for c := range channels {
			for r := range r1 - r0 {
				row := to[c*next+r*w.pitch:][:w.pitch]
				clear(row[:lo])
				clear(row[hi:])
				j.read(row[lo:hi], at+c*j.channelStep+r*srs, by)
			}
		}
	}
}

// copyWindows copies the window of one channel of some images, each apart in the copy.
func (j *job[T]) copyWindows(to []T, each, image, images, channel int, w *inputWindow) {
	for i := range images {
		j.copyWindow(to[i*each:], 0, (image+i)*j.imageStep+channel*j.channelStep, 1, w)
	}
}

// read copies elements that are a step apart.
func (j *job[T]) read(to []T, at, by int) {
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
