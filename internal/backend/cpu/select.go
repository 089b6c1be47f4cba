package cpu

import "github.com/lucid-go/lucid/internal/par"

// keyAt returns the key that sorting would put at index k, and how many are below it. Keys are counted by their upper
// bits, so that only those which share them with the one looked for are selected from. some is scratch.
func keyAt(keys []uint64, k, bits int, some []uint64) (key uint64, below int, scratch []uint64) {
	const upper = 12
	some = some[:0]
	if shift := bits - upper; shift > 0 && len(keys) > 1<<upper {
		var count [1 << upper]uint32
		for _, v := range keys {
			count[v>>shift&(1<<upper-1)]++
		}
		bin := 0
		for ; below+int(count[bin]) <= k; bin++ {
			below += int(count[bin])
		}
		for _, v := range keys {
			if int(v>>shift) == bin {
				some = append(some, v)
			}
		}
	} else {
		some = append(some, keys...)
	}
	n := len(some)
	some = append(some, some...) // room to part them, behind
	key, less := selectKth(some[:n:n], some[n:], k-below)
	return key, below + less, some
}

// selectKth returns what sorting would put at i, and how many are below it; k is overwritten, room is as long. Keys are parted by a
// pivot into both ends of the other slice, without a branch that depends on the data.
func selectKth(k, room []uint64, i int) (key uint64, below int) {
	pace := par.NewPace()
	for len(k) > 16 {
		p := pivot(k)
		z := room[:len(k)]
		lo, hi := 0, len(z)-1
		for _, v := range k {
			less := 0
			if v < p {
				less = 1
			}
			z[lo], z[hi] = v, v // of the two indices that are free at least, one is right
			lo += less
			hi -= 1 - less
		}
		pace.Step()
		if i < lo {
			k, room = z[:lo], k[:lo]
			continue
		}
		// The pivot itself is one of these: go on with those that are not equal to it.
		n := 0
		for _, v := range z[lo:] {
			k[n] = v
			if v != p {
				n++
			}
		}
		equal := len(z) - lo - n
		if i < lo+equal {
			return p, below + lo
		}
		k, room, i, below = k[:n], z[:n], i-lo-equal, below+lo+equal
	}
	for a := 1; a < len(k); a++ {
		for b := a; b > 0 && k[b] < k[b-1]; b-- {
			k[b], k[b-1] = k[b-1], k[b]
		}
	}
	for below += i; i > 0 && k[i-1] == k[i]; i-- {
		below--
	}
	return k[i], below
}

// pivot is the middle of three keys, or of three such.
func pivot(k []uint64) uint64 {
	n := len(k)
	if n < 128 {
		return middleOf(k[0], k[n/2], k[n-1])
	}
	s := n / 8
	return middleOf(middleOf(k[0], k[s], k[2*s]), middleOf(k[3*s], k[n/2], k[5*s]), middleOf(k[6*s], k[7*s], k[n-1]))
}

func middleOf(a, b, c uint64) uint64 { return max(min(a, b), min(max(a, b), c)) }
