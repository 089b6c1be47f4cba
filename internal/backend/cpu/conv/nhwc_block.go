package conv

import (
	"github.com/lucid-go/lucid/internal/backend/cpu/bufpool"
	"unsafe"

	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/par"
)

// nhwcPair are one or two rows of positions that are computed together: where they begin in the input and in the output.
type nhwcPair struct {
	taps, rows int
	at, to     [4]int
}

// pairs finds the rows of positions of some output rows and pairs those with the same taps.
func (d *nhwcConv[T]) pairs(group, from, to int) (pairs []nhwcPair) {
	j, p := d.j, &d.j.phase
	all := j.groups * j.kernels
	open := make([]int, len(d.taps)) // by taps: a pair that has one row, and one
	for r := from; r < to; r++ {
		t1, t0, image := r%p[1].outs, r/p[1].outs%p[0].outs, r/(p[1].outs*p[0].outs)
		at := image*j.imageStep + group*j.channels + p[2].first*j.step[2]
		at += (p[0].first+t0*p[0].stride)*j.step[0] + (p[1].first+t1*p[1].stride)*j.step[1]
		pos := ((p[0].out+t0*p[0].outStep)*j.outSize[1]+p[1].out+t1*p[1].outStep)*j.outSize[2] + p[2].out
		z := (image*j.outPositions+pos)*all + group*j.kernels
		for q, t2 := range d.parts[:len(d.parts)-1] {
			taps := (d.deep[t0]*len(d.sets[1])+d.high[t1])*d.kinds + d.kind[q]
			x, y := at+t2*p[2].stride*j.step[2], z+t2*p[2].outStep*all
			if k := open[taps] - 1; k >= 0 {
				pairs[k].at[1], pairs[k].to[1], pairs[k].rows, open[taps] = x, y, 2, 0
				continue
			}
			pairs = append(pairs, nhwcPair{taps, 1, [4]int{x}, [4]int{y}})
			open[taps] = len(pairs)
		}
	}
	return pairs
}

// block computes some rows and output channels.
func (d *nhwcConv[T]) block(b int) {
	j, p := d.j, &d.j.phase
	all := j.images * p[0].outs * p[1].outs
	part, b := b%d.split, b/d.split
	blocks := ceil(all, d.rows)
	group, from := b/blocks, b%blocks*d.rows
	pairs := d.pairs(group, from, min(from+d.rows, all))
	var tmp []T
	if j.kernels%j.float.lanes != 0 {
		var free func()
		tmp, free = bufpool.Borrow[T](2 * j.float.nhwcRowLen * 2 * j.float.lanes)
		defer free()
	}
	step, size := p[2].outStep*j.groups*j.kernels, int(unsafe.Sizeof(j.z[0]))
	ahead, wide := ((p[1].taps-1)*p[1].step+p[1].stride)*j.step[1], p[2].stride*j.step[2]
	pace, work := par.NewPace(), 0
	for c := 0; c < j.channels; c += d.channels {
		count := min(d.channels, j.channels-c)
		for o := part * d.kernels; o < min((part+1)*d.kernels, j.kernels); o += 2 * j.float.lanes {
			cols, rest := d.panelCols(o), min(2*j.float.lanes, j.kernels-o)
			w := d.packed[d.panelAt(group, o, c):]
			for i := range pairs {
				q := &pairs[i]
				taps := d.taps[q.taps]
				if o == part*d.kernels {
					for _, at := range q.at[:q.rows] { // what the next output row reads and this one does not
						if at += c + ahead; at >= 0 && at+taps.Len()*wide <= len(j.x) {
							simd.PrefetchRows(unsafe.Pointer(&j.x[at]), wide*size, taps.Len(), count*size)
						}
					}
				}
				if rest == cols {
					for _, to := range q.to[:q.rows] { // lines that come late would stop the stores
						simd.PrefetchOwn(unsafe.Pointer(&j.z[to+o]), step*size, taps.Len(), cols*size)
					}
					j.float.nhwc(q.rows, cols, count, taps, j.x[c:], &q.at, w, j.z[o:], &q.to, step, c > 0)
				} else {
					j.float.nhwc(q.rows, cols, count, taps, j.x[c:], &q.at, w, tmp, &[4]int{0, taps.Len() * cols}, cols, false)
					d.put(tmp, j.z[o:], q, step, cols, rest, c > 0)
				}
				if work += q.rows * taps.Len() * cols * count * p.taps(); work > positionsPace {
					work = 0
					pace.Step()
				}
			}
		}
	}
}

// put writes sums, cols apart, of which only some columns count.
func (d *nhwcConv[T]) put(sums, z []T, q *nhwcPair, step, cols, some int, add bool) {
	n := d.taps[q.taps].Len()
	for r, to := range q.to[:q.rows] {
		for i := range n {
			z, s := z[to+i*step:][:some], sums[(r*n+i)*cols:]
			if !add {
				copy(z, s)
				continue
			}
			for e := range z {
				z[e] += s[e]
			}
		}
	}
}
