package qmm

import "github.com/lucid-go/lucid/internal/ggml"

const expandBlocks = 64 // in one call of the kernel: some microseconds

// Expand writes the float32 values of a tile: element p of row r to dst[p*ds+r].
func Expand(t ggml.Type, tile []byte, k int, dst []float32, ds int) {
	l := layouts[t]
	if l.kernels != nil && wide() && k > 0 {
		_, _ = tile[TileBytes(t, k)-1], dst[(k-1)*ds+Rows-1] // the kernel does not check
		for b := 0; b < k/block; b += expandBlocks {
			n := min(expandBlocks, k/block-b)
			l.kernels.expand(n, &tile[l.firstScale(b)], &tile[l.quantAt(k, b)], &dst[b*block*ds], ds)
		}
		return
	}
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
