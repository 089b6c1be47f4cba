// Package random draws numbers by explicit keys: equal keys give equal numbers, on every device and for any number of
// threads. Nothing here has state; split a key to get fresh ones.
//
//	key := random.Key(42)
//	keys := random.Keys(key, 2)
//	x := random.Normal(keys[0], []int{2, 3})
//	m := random.Bernoulli(keys[1], 0.5, []int{2, 3})
//
// Keys and recipes are MLX's: bits, and uniform numbers of float32, float16 and bfloat16, are the same bit for bit;
// numbers made from them by erfinv or log agree to rounding. The functions of package lucid (lucid.Randn, …) draw from
// a generator instead, which is a key that splits itself.
package random
