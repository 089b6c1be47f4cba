package simd

import "unsafe"

// Chain code computes a sequence of cheap float32 operations with the value at hand in registers, some vectors at a time,
// where block kernels would load and store it once for each. Every operation rounds as its block kernel does, so the bits
// are the same. Code is a list of steps that ends with ChainNext; it works on bank A of registers, keeps other values in
// banks B and C, and reads and writes memory where steps say so.

// ChainOp is an instruction of chain code.
type ChainOp int

// Step is one instruction, ready to run.
type Step struct {
	routine uintptr
	At      uintptr // where the operand in memory lies
	move    uintptr // all ones if it is one of many, which follow each other; zero if the same serves again
}

// ChainStep makes a step for the variant in use. An operand in memory that does not move holds ChainWidth elements.
func ChainStep(op ChainOp, at unsafe.Pointer, moves bool) Step {
	s := Step{routine: chainRoutine(op), At: uintptr(at)}
	if moves {
		s.move = ^uintptr(0)
	}
	return s
}
