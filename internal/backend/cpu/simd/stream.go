package simd

import "encoding/binary"

// streamBlock is what the loops of stream_amd64.s take at a time, in bytes.
const streamBlock = 256

// NonTemporalCopy copies src to dst, of the same length, with non-temporal
// stores. It pays from about the size of the L2 cache on, when dst is not read again
// soon: ordinary stores read each line first, which doubles the traffic.
func NonTemporalCopy(dst, src []byte) {
	dst = dst[:len(src)]
	head := 0
	if len(src) >= 4*streamBlock {
		head = align64(dst)
	}
	n := (len(src) - head) &^ (streamBlock - 1)
	copy(dst[:head], src)
	if n == 0 || !streamNT(dst[head:head+n], src[head:head+n]) {
		n = 0
	}
	copy(dst[head+n:], src[head+n:])
}

// CopyProbe copies src to dst with ordinary vector stores only, which
// memmove does not promise; it measures the memory bandwidth of a machine.
func CopyProbe(dst, src []byte) {
	dst = dst[:len(src)]
	n := len(src) &^ (streamBlock - 1)
	if n == 0 || !streamCopy(dst[:n], src[:n]) {
		n = 0
	}
	copy(dst[n:], src[n:])
}

// ReadProbe reads all of x and returns the exclusive or of its 64-bit words, the
// last one filled with zeros; it measures the memory bandwidth of a machine.
func ReadProbe(x []byte) uint64 {
	n := len(x) &^ (streamBlock - 1)
	h, ok := uint64(0), false
	if n > 0 {
		h, ok = streamRead(x[:n])
	}
	if !ok {
		n = 0
	}
	for x = x[n:]; len(x) >= 8; x = x[8:] {
		h ^= binary.LittleEndian.Uint64(x)
	}
	var last [8]byte
	copy(last[:], x)
	return h ^ binary.LittleEndian.Uint64(last[:])
}
