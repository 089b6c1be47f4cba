//go:build !purego

#include "textflag.h"

// func argument(frame int) uintptr
//
// The return address of number frame is in a function whose own frame pointer is one further. Its first argument, which it was given in
// a register, is stored in its caller's frame, above the saved return address there.
TEXT ·argument(SB), NOSPLIT, $0-16
	MOVD frame+0(FP), R2
	MOVD R29, R1

next:
	CBZ  R1, none
	MOVD (R1), R1
	SUB  $1, R2
	TBZ  $63, R2, next
	CBZ  R1, none
	MOVD (R1), R1
	CBZ  R1, none
	MOVD 16(R1), R3
	MOVD R3, ret+8(FP)
	RET

none:
	MOVD ZR, ret+8(FP)
	RET
