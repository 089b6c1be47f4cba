//go:build amd64 && !purego

package cpuid

// cpuid runs the CPUID instruction for a leaf and a subleaf.
func cpuid(leaf, sub uint32) (eax, ebx, ecx, edx uint32)

// xgetbv reads extended control register 0: the register sets that the operating
// system saves when it switches threads.
func xgetbv() (eax, edx uint32)

// Register sets in XCR0.
const (
	stateAVX    = 1<<1 | 1<<2                   // XMM, YMM
	stateAVX512 = stateAVX | 1<<5 | 1<<6 | 1<<7 // opmask, upper ZMM, ZMM16-31
	stateAMX    = 1<<17 | 1<<18                 // tile configuration, tile data
)

func detect() {
	readCaches()
	max, _, _, _ := cpuid(0, 0)
	if max < 7 {
		return
	}
	has := func(reg uint32, bit int) bool { return reg>>bit&1 == 1 }

	_, _, c1, _ := cpuid(1, 0)
	if !has(c1, 27) { // OSXSAVE: without it XGETBV faults
		return
	}
	xcr0, _ := xgetbv()
	saves := func(state uint32) bool { return xcr0&state == state }

	subs, b7, c7, d7 := cpuid(7, 0)
	var a71 uint32
	if subs >= 1 {
		a71, _, _, _ = cpuid(7, 1)
	}

	avx := has(c1, 28) && saves(stateAVX)
	X86.FMA = avx && has(c1, 12)
	X86.F16C = avx && has(c1, 29)
	X86.AVX2 = avx && has(b7, 5)

	z := X86.AVX2 && X86.FMA && saves(stateAVX512) // F, DQ, CD, BW, VL
	X86.AVX512 = z && has(b7, 16) && has(b7, 17) && has(b7, 28) && has(b7, 30) && has(b7, 31)
	X86.AVX512VNNI = X86.AVX512 && has(c7, 11)
	X86.AVX512FP16 = X86.AVX512 && has(d7, 23)
	X86.AVX512BF16 = X86.AVX512 && has(a71, 5)

	// A process must also ask for tiles (arch_prctl); that is done by the kernel that wants them.
	X86.AMXTile = saves(stateAMX) && has(d7, 24)
	X86.AMXBF16 = X86.AMXTile && has(d7, 22)
	X86.AMXInt8 = X86.AMXTile && has(d7, 25)
}

// The lists of caches: Intel's leaf, and AMD's.
const intelCaches, amdCaches = 4, 1<<31 | 0x1d

// caches calls f for the caches of a list, if the processor has it; ways are lines a multiple of the page size apart.
func caches(leaf uint32, f func(data bool, level, ways, bytes int)) {
	const none, instructions = 0, 2 // types of cache
	if last, _, _, _ := cpuid(leaf&(1<<31), 0); last < leaf {
		return
	}
	for sub := range uint32(8) {
		kind, shape, sets, _ := cpuid(leaf, sub)
		if kind&31 == none {
			return
		}
		line, parts, ways := int(shape&0xfff)+1, int(shape>>12&0x3ff)+1, int(shape>>22)+1
		bytes := line * parts * ways * (int(sets) + 1)
		f(kind&31 != instructions, int(kind>>5&7), bytes/4096, bytes)
	}
}

// readCaches sets what is known of the caches.
func readCaches() {
	for _, leaf := range []uint32{amdCaches, intelCaches} {
		caches(leaf, func(data bool, level, ways, bytes int) {
			switch {
			case data && level == 1:
				L1Ways = max(1, ways)
			case leaf == amdCaches && level == 3:
				NearL3 = bytes
			}
		})
	}
}
