//go:build !purego

#include "textflag.h"

// func callers(dst *[Depth]uintptr) int
//
// A frame pointer points at the caller's, and the return address is above it. The goroutine cannot be stopped in assembly, so the
// stack stays where it is.
TEXT ·callers(SB), NOSPLIT, $0-16
	MOVD dst+0(FP), R0
	MOVD R29, R1
	MOVD $0, R2

next:
	CBZ    R1, done
	CMP    $12, R2
	BGE    done
	MOVD   8(R1), R3
	MOVD.P R3, 8(R0)
	MOVD   (R1), R1
	ADD    $1, R2
	B      next

done:
	MOVD R2, ret+8(FP)
	RET
