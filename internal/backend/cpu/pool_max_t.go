package cpu

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
)

func init() {
	register(backend.Table{"pool_max_t": func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		base, err := dense(c, in[1])
		if err != nil {
			return err
		}
		at := elems[int64](base, in[1].Numel())
		return floatPool(poolMaxT[float32](at), poolMaxT[float64](at))(c, a, out, in[:1])
	}})
}

// poolMaxT gives every element what the windows that took it were given, plane by plane; at holds the places taken.
func poolMaxT[T floats](at []int64) func(c *backend.Ctx, g *grid, z, x []T) error {
	return func(c *backend.Ctx, g *grid, z, x []T) error {
		in, out := g.inSize(), g.outSize()
		planes := len(z) / in
		per := max(1, 32768/max(1, in))
		return c.For((planes+per-1)/per, func(b int) {
			for p := b * per; p < min((b+1)*per, planes); p++ {
				plane := z[p*in : (p+1)*in]
				clear(plane)
				for o := range out {
					// A place outside the window was taken by nobody.
					if to := at[p*out+o]; g.sees(o, to) {
						plane[to] += x[p*out+o]
					}
				}
			}
		})
	}
}

// sees reports whether the window of output o has a place of its plane.
func (g *grid) sees(o int, place int64) bool {
	if place < 0 || place >= int64(g.inSize()) {
		return false
	}
	p := int(place)
	for d := 2; d >= 0; d-- {
		s := g.spans[d][o%g.out[d]]
		i := p % g.in[d]
		if i < s.Start || i >= s.End || s.Step > 1 && (i-s.Start)%s.Step != 0 {
			return false
		}
		o, p = o/g.out[d], p/g.in[d]
	}
	return true
}
