package cuda

import "testing"

// TestRadices: the radices of a length multiply to it, and lengths with a large prime factor have none.
func TestRadices(t *testing.T) {
	for n := 1; n < 5000; n++ {
		list, ok := radicesOf(n)
		all, rest := product(list), n
		for p := 2; p <= largestRadix; p++ {
			for rest%p == 0 {
				rest /= p
			}
		}
		if ok != (rest == 1) || ok && all != n {
			t.Fatalf("%d: %v, %v", n, list, ok)
		}
	}
}
