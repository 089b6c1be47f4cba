package simd

import "unsafe"

// Chain code runs a register-resident chain of elementwise operations on floats, a few vectors at a time, where block kernels
// would load and store each intermediate value. It is direct-threaded code: a list of steps, each with the address of its
// routine, that ends with ChainNext. Every operation rounds as its block kernel does, so the bits are the same. The accumulator is
// bank A of the vector registers; banks B and C hold other values; loads and stores are steps of their own. Lanes are float32,
// with steps that round to the half types, or float64: all steps of a code have lanes of 4 bytes, or all of 8.

// ChainOp is an instruction of chain code.
type ChainOp int

// ChainOne is added to an instruction whose operand in memory is one number for all elements.
const ChainOne ChainOp = 3

// Step is one instruction, ready to run.
type Step struct {
	routine uintptr
	At      uintptr // address of the operand in memory
	move    uintptr // all ones if the operand advances with the elements, zero if the same is read again
}

// ChainStep makes a step for the variant in use and lanes of a size. An operand in memory that does not move holds ChainWidth elements.
func ChainStep(op ChainOp, lane int, at unsafe.Pointer, moves bool) Step {
	s := Step{routine: chainRoutine(op, lane), At: uintptr(at)}
	if moves {
		s.move = ^uintptr(0)
	}
	return s
}
