package qmm

import "github.com/lucid-go/lucid/internal/ggml"

// Expand writes the float32 values of a tile: element p of row r to dst[p*ds+r].
func Expand(t ggml.Type, tile []byte, k int, dst []float32, ds int) {
	l := layouts[t]
	var u unpacked
	for b := range k / block {
		l.unpack(&u, tile, k, b)
		for i := range block {
			g := i * l.groups / block
			row := dst[(b*block+i)*ds:][:Rows]
			for r := range row {
				v := u.scales[g][r] * float32(int32(u.quants[i][r])-int32(l.offset))
				switch {
				case l.mins && l.subtract:
					v = float32(v) - u.mins[g][r]
				case l.mins:
					v = float32(v) + u.mins[g][r]
				}
				row[r] = v
			}
		}
	}
}
