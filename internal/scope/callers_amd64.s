//go:build !purego

#include "textflag.h"

// func callers(dst *[Depth]uintptr) int
//
// A frame pointer points at the caller's, and the return address is above it. The goroutine cannot be stopped in assembly, so the
// stack stays where it is.
TEXT ·callers(SB), NOSPLIT, $0-16
	MOVQ dst+0(FP), DI
	MOVQ BP, AX
	XORQ BX, BX

next:
	TESTQ AX, AX
	JZ    done
	CMPQ  BX, $12
	JGE   done
	MOVQ  8(AX), DX
	MOVQ  DX, (DI)(BX*8)
	MOVQ  (AX), AX
	INCQ  BX
	JMP   next

done:
	MOVQ BX, ret+8(FP)
	RET
