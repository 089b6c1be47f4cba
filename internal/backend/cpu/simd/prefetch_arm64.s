//go:build !purego

#include "textflag.h"

// func prefetch(p unsafe.Pointer, bytes int)
// Asks the first cache for the lines; bytes is at least 1.
TEXT ·prefetch(SB), NOSPLIT, $0-16
	MOVD p+0(FP), R0
	MOVD bytes+8(FP), R1
	ADD R0, R1
	AND $~63, R0

line:
	PRFM (R0), PLDL1KEEP
	ADD $64, R0
	CMP R1, R0
	BLT line
	RET

// func prefetchRows(p unsafe.Pointer, stride, rows, bytes int)
// Asks the second cache for the lines of rows; rows and bytes are at least 1.
TEXT ·prefetchRows(SB), NOSPLIT, $0-32
	MOVD p+0(FP), R0
	MOVD stride+8(FP), R1
	MOVD rows+16(FP), R2
	MOVD bytes+24(FP), R3

row:
	AND $~63, R0, R4
	ADD R3, R0, R5

line:
	PRFM (R4), PLDL2KEEP
	ADD $64, R4
	CMP R5, R4
	BLT line
	ADD R1, R0
	SUBS $1, R2
	BNE row
	RET

// func prefetchOwn(p unsafe.Pointer, stride, rows, bytes int)
// The same for lines that will be written.
TEXT ·prefetchOwn(SB), NOSPLIT, $0-32
	MOVD p+0(FP), R0
	MOVD stride+8(FP), R1
	MOVD rows+16(FP), R2
	MOVD bytes+24(FP), R3

row:
	AND $~63, R0, R4
	ADD R3, R0, R5

line:
	PRFM (R4), PSTL1KEEP
	ADD $64, R4
	CMP R5, R4
	BLT line
	ADD R1, R0
	SUBS $1, R2
	BNE row
	RET
