package par

// A copy cannot be interrupted, and one of many megabytes takes milliseconds.
const copied = 256 << 10 // bytes of a block

// Copy copies src to dst, which is as long and overlaps it nowhere, in blocks.
func Copy(dst, src []byte) {
	if len(src) <= copied {
		copy(dst, src)
		return
	}
	n := (len(src) + copied - 1) / copied
	err := For(n, func(b int) {
		lo, hi := b*copied, min((b+1)*copied, len(src))
		copy(dst[lo:hi], src[lo:hi])
	})
	if err != nil {
		panic(err)
	}
}
