//go:build !purego

#include "textflag.h"

// func prefetch(p unsafe.Pointer, bytes int)
// Asks the first cache for the lines; bytes is at least 1.
TEXT ·prefetch(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), AX
	MOVQ bytes+8(FP), DI
	ADDQ AX, DI
	ANDQ $~63, AX

line:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	CMPQ AX, DI
	JLT line
	RET
