// Package einops rearranges, folds and repeats dimensions by patterns that name them.
//
//	y := einops.Rearrange(x, "b (h w) c -> b c h w", einops.Options{AxesLengths: map[string]int{"h": 4}})
//	z := einops.Reduce(x, "b (h 2) c -> b h c", "max")
package einops
