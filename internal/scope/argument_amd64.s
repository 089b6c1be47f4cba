//go:build !purego

#include "textflag.h"

// func argument(frame int) uintptr
//
// The return address of number frame is in a function whose own frame pointer is one further; its first argument, which it was given in
// a register, is stored above its return address.
TEXT ·argument(SB), NOSPLIT, $0-16
	MOVQ frame+0(FP), CX
	MOVQ BP, AX

next:
	TESTQ AX, AX
	JZ    none
	MOVQ  (AX), AX
	DECQ  CX
	JGE   next
	TESTQ AX, AX
	JZ    none
	MOVQ  16(AX), DX
	MOVQ  DX, ret+8(FP)
	RET

none:
	MOVQ $0, ret+8(FP)
	RET
