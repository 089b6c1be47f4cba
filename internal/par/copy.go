package par

// A copy cannot be interrupted, and one of many megabytes takes milliseconds.
const copyBlock = 256 << 10 // bytes of a block

// Copy copies src to dst, which is as long and overlaps it nowhere, in blocks.
func Copy(dst, src []byte) {
	if len(src) <= copyBlock {
		copy(dst, src)
		return
	}
	n := (len(src) + copyBlock - 1) / copyBlock
	err := For(n, func(b int) {
		lo, hi := b*copyBlock, min((b+1)*copyBlock, len(src))
		copy(dst[lo:hi], src[lo:hi])
	})
	if err != nil {
		panic(err)
	}
}
