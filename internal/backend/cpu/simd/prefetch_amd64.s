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

// func prefetchRows(p unsafe.Pointer, stride, rows, bytes int)
// Asks the second cache for the lines of rows; rows and bytes are at least 1.
TEXT ·prefetchRows(SB), NOSPLIT, $0-32
	MOVQ p+0(FP), SI
	MOVQ stride+8(FP), R8
	MOVQ rows+16(FP), CX
	MOVQ bytes+24(FP), R9

row:
	MOVQ SI, AX
	LEAQ (SI)(R9*1), DI
	ANDQ $~63, AX

line:
	PREFETCHT1 (AX)
	ADDQ $64, AX
	CMPQ AX, DI
	JLT line
	ADDQ R8, SI
	DECQ CX
	JNE row
	RET

// func prefetchOwn(p unsafe.Pointer, stride, rows, bytes int)
// The same for lines that will be written.
TEXT ·prefetchOwn(SB), NOSPLIT, $0-32
	MOVQ p+0(FP), SI
	MOVQ stride+8(FP), R8
	MOVQ rows+16(FP), CX
	MOVQ bytes+24(FP), R9

row:
	MOVQ SI, AX
	LEAQ (SI)(R9*1), DI
	ANDQ $~63, AX

line:
	BYTE $0x0f; BYTE $0x0d; BYTE $0x08 // PREFETCHW (AX), which the assembler lacks; where a machine does, it is no operation
	ADDQ $64, AX
	CMPQ AX, DI
	JLT line
	ADDQ R8, SI
	DECQ CX
	JNE row
	RET
