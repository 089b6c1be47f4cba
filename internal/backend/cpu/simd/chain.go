package simd

import "unsafe"

// Chain code computes a sequence of cheap operations on floats with the value at hand in registers, some vectors at a time,
// where block kernels would load and store it once for each. Every operation rounds as its block kernel does, so the bits
// are the same. Code is a list of steps that ends with ChainNext; it works on bank A of registers, keeps other values in
// banks B and C, and reads and writes memory where steps say so. Lanes are float32, where halves are rounded by steps of their own,
// or float64: all steps of a code are made for lanes of 4 bytes or of 8.

// ChainOp is an instruction of chain code.
type ChainOp int

// ChainOne is added to an instruction whose operand in memory is one number for all elements.
const ChainOne ChainOp = 3

// Step is one instruction, ready to run.
type Step struct {
	routine uintptr
	At      uintptr // where the operand in memory lies
	move    uintptr // all ones if it is one of many, which follow each other; zero if the same serves again
}

// ChainStep makes a step for the variant in use and lanes of a size. An operand in memory that does not move holds ChainWidth elements.
func ChainStep(op ChainOp, lane int, at unsafe.Pointer, moves bool) Step {
	s := Step{routine: chainRoutine(op, lane), At: uintptr(at)}
	if moves {
		s.move = ^uintptr(0)
	}
	return s
}
