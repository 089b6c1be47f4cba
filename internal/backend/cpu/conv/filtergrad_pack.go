package conv

import (
	"github.com/lucid-go/lucid/internal/backend/cpu/layout"
)

// scratch is how many elements packImages and packImageOutputs need, for so many images.
func (d *columnsConv[T]) scratch(images int) int {
	p := &d.j.phase
	if d.few {
		return images * p[0].outs * d.windowRows() * d.windowWide()
	}
	return images * (d.pitch + d.wide.shared)
}

// packImages fills the second matrix of a strip: images side by side at each position of the input.
func (d *columnsConv[T]) packImages(x, tmp []T, base, images, t0, t1, rows int) {
	p := &d.j.phase
	for u0 := range p[0].outs {
		i0 := p[0].first + t0*p[0].step + u0*p[0].stride
		for h := range d.high.parts() {
			for w := range d.wide.parts() {
				to, last := d.plane(u0, h, w), rows+d.high.extra-1
				for r := range last + 1 {
					n := d.pitch
					if r == last {
						n += d.wide.shared
					}
					d.packImageRow(x[(to+r*d.pitch)*d.cols:][:n*d.cols], tmp, base, images, i0, d.high.at(h, t1+r), d.wide.at(w, 0), n)
				}
			}
		}
	}
}

// packImageRow fills n positions of one row.
func (d *columnsConv[T]) packImageRow(x, tmp []T, base, images, i0, i1, first, n int) {
	j := d.j
	lo, hi := layout.Inside(first, d.wide.stride, n, j.size[2])
	if uint(i0) >= uint(j.size[0]) || uint(i1) >= uint(j.size[1]) {
		lo, hi = n, n
	}
	clear(x[:lo*d.cols])
	clear(x[hi*d.cols:])
	if lo == hi {
		return
	}
	at, by := base+i0*j.step[0]+i1*j.step[1]+(first+lo*d.wide.stride)*j.step[2], d.wide.stride*j.step[2]
	x, n = x[lo*d.cols:], hi-lo
	switch {
	case j.imageStep == 1: // they are side by side
		for i := range n {
			j.read(x[i*d.cols:][:images], at+i*by, 1)
		}
		return
	case by != 1 || j.x == nil:
		for i := range images {
			j.read(tmp[i*n:][:n], at+i*j.imageStep, by)
		}
		layout.TransposeBlock(x, d.cols, tmp, n, images, n)
		return
	}
	layout.TransposeBlock(x, d.cols, j.x[at:], j.imageStep, images, n)
}

// windowRows and windowWide are the sizes of what the outputs of a strip read of a plane.
func (d *columnsConv[T]) windowRows() int {
	p := &d.j.phase[1]
	return (d.rows-1)*p.step + (p.outs-1)*p.stride + 1
}

func (d *columnsConv[T]) windowWide() int {
	p := &d.j.phase[2]
	return (p.taps-1)*p.step + (p.outs-1)*p.stride + 1
}

// packImageOutputs fills the second matrix of a strip with a column for each image and output: a row of outputs is contiguous in
// the input, so it is copied as it is to each position.
func (d *columnsConv[T]) packImageOutputs(x, tmp []T, base, images, t0, t1, rows int) {
	j, p := d.j, &d.j.phase
	high, wide := d.windowRows(), d.windowWide()
	w := inputWindow{high: p[1].first + t1*p[1].step, highStep: 1, rows: (rows-1)*p[1].step + (p[1].outs-1)*p[1].stride + 1,
		wide: p[2].first, wideStep: 1, pitch: wide}
	for u0 := range p[0].outs {
		w.i0 = p[0].first + t0*p[0].step + u0*p[0].stride
		for i := range images {
			j.copyWindow(tmp[(i*p[0].outs+u0)*high*wide:], 0, base+i*j.imageStep, 1, &w)
		}
	}
	for i := range images * p[0].outs {
		for u1 := range p[1].outs {
			to, from := x[(i*p[1].outs+u1)*p[2].outs:], tmp[i*high*wide+u1*p[1].stride*wide:]
			for r := range rows {
				layout.CopyRows(to[r*d.pitch*d.cols:], d.cols, from, r*p[1].step*wide, p[2].step, p[2].stride, p[2].taps, p[2].outs)
			}
		}
	}
}
