//go:build purego || !(amd64 || arm64)

package scope

import "runtime"

// Without assembly a goroutine's number can only be read from the head of its stack trace, which takes tens of
// microseconds. So it is read once for each scope, and call writes it on the stack for all that run inside: one frame for
// each of its digits, which known finds by their return addresses.

// goroutine returns the goroutine's number. It is shifted because the table drops the low bits, which in a pointer say
// nothing.
func goroutine() uintptr {
	if g, ok := known(); ok {
		return g
	}
	var buf [40]byte
	n := runtime.Stack(buf[:], false)
	id := uintptr(0)
	for _, c := range buf[len("goroutine "):n] {
		if c < '0' || c > '9' {
			break
		}
		id = id*10 + uintptr(c-'0')
	}
	return id << 8
}

// call runs f with the number of its goroutine on the stack.
//
//go:noinline
func call(g uintptr, f func()) { descend(g>>8, f) }

// descend runs f below a frame for each digit of n, the lowest first. Every case has a return address of its own.
//
//go:noinline
func descend(n uintptr, f func()) {
	if n == 0 {
		f()
		return
	}
	switch n & 7 {
	case 0:
		descend(n>>3, f)
	case 1:
		descend(n>>3, f)
	case 2:
		descend(n>>3, f)
	case 3:
		descend(n>>3, f)
	case 4:
		descend(n>>3, f)
	case 5:
		descend(n>>3, f)
	case 6:
		descend(n>>3, f)
	case 7:
		descend(n>>3, f)
	}
}

// Return addresses of the calls above.
var inCall, inDescend uintptr
var digits [8]uintptr

func init() {
	for d := range digits {
		call(uintptr(8|d)<<8, func() {
			var pcs [5]uintptr // this function, the last descend, the digit 1, the digit d, call
			runtime.Callers(1, pcs[:])
			inDescend, digits[d], inCall = pcs[1], pcs[3], pcs[4]
		})
	}
	for i, a := range digits {
		for _, b := range digits[:i] {
			if a == b {
				panic("lucid: internal: two digits of a goroutine's number have one return address")
			}
		}
	}
}

// known reads the number that the innermost scope of this goroutine left on the stack; ok is false outside of all.
func known() (g uintptr, ok bool) {
	var near [48]uintptr
	n := runtime.Callers(2, near[:])
	var r reader
	if r.read(near[:n]) {
		return r.n << 8, true
	}
	if n < len(near) {
		return 0, false
	}
	far := make([]uintptr, 512)
	for skip := 2 + n; ; skip += n {
		if n = runtime.Callers(skip, far); r.read(far[:n]) {
			return r.n << 8, true
		}
		if n < len(far) {
			return 0, false
		}
	}
}

// reader puts a number together from return addresses, the innermost first.
type reader struct {
	n      uintptr
	inside bool
}

// read reports whether the number is complete.
func (r *reader) read(pcs []uintptr) bool {
	for _, pc := range pcs {
		switch {
		case pc == inDescend:
			r.n, r.inside = 0, true
		case !r.inside:
		case pc == inCall:
			return true
		default:
			for d, a := range digits {
				if a == pc {
					r.n = r.n<<3 | uintptr(d)
					break
				}
			}
		}
	}
	return false
}
