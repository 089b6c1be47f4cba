//go:build !purego

#include "textflag.h"

// The numbers of the even elements of two vectors.
DATA ·evens+0(SB)/8, $0x0000000200000000
DATA ·evens+8(SB)/8, $0x0000000600000004
DATA ·evens+16(SB)/8, $0x0000000a00000008
DATA ·evens+24(SB)/8, $0x0000000e0000000c
DATA ·evens+32(SB)/8, $0x0000001200000010
DATA ·evens+40(SB)/8, $0x0000001600000014
DATA ·evens+48(SB)/8, $0x0000001a00000018
DATA ·evens+56(SB)/8, $0x0000001e0000001c
GLOBL ·evens(SB), RODATA|NOPTR, $64

#define ARGUMENTS \
	MOVQ dst+0(FP), DI; \
	MOVQ src+8(FP), SI; \
	MOVQ drs+16(FP), R8; \
	SHLQ $2, R8; \
	MOVQ srs+24(FP), R9; \
	SHLQ $2, R9; \
	MOVQ rows+32(FP), R10; \
	MOVQ ahead+64(FP), R11; \
	SHLQ $2, R11; \
	VPXORD Z31, Z31, Z31; \
	MOVQ $-1, R13

// Zeros for CX elements from AX on; AX is then behind them.
#define ZEROS(loop, tail, one, end) \
	SUBQ $16, CX; \
	JLT tail; \
loop: \
	VMOVUPS Z31, (AX); \
	ADDQ $64, AX; \
	SUBQ $16, CX; \
	JGE loop; \
tail: \
	ADDQ $16, CX; \
	JEQ end; \
one: \
	MOVL $0, (AX); \
	ADDQ $4, AX; \
	DECQ CX; \
	JNE one; \
end:

#define NEXT \
	ADDQ R8, DI; \
	ADDQ R9, SI; \
	DECQ R10; \
	JNZ row; \
	VZEROUPPER; \
	RET

// func padRows1F32AVX512(dst, src *float32, drs, srs, rows, lo, n, hi, ahead int)
//
// Rows of a vector or more end with one that may overlap the one before it: a masked store costs several plain ones.
TEXT ·padRows1F32AVX512(SB), NOSPLIT, $0-72
	ARGUMENTS

row:
	MOVQ DI, AX
	MOVQ SI, BX
	MOVQ lo+40(FP), CX
	ZEROS(before, beforeTail, beforeOne, beforeEnd)
	MOVQ n+48(FP), CX
	SUBQ $16, CX
	JLT rest

copy:
	PREFETCHT0 (BX)(R11*1)
	VMOVUPS (BX), Z0
	VMOVUPS Z0, (AX)
	ADDQ $64, AX
	ADDQ $64, BX
	SUBQ $16, CX
	JGE copy
	PREFETCHT0 (BX)(R11*1)
	VMOVUPS (BX)(CX*4), Z0
	VMOVUPS Z0, (AX)(CX*4)
	LEAQ 64(AX)(CX*4), AX
	JMP zeros

rest:
	PREFETCHT0 (BX)(R11*1)
	ADDQ $16, CX
	BZHIQ CX, R13, R12
	KMOVW R12, K1
	VMOVUPS.Z (BX), K1, Z0
	VMOVUPS Z0, K1, (AX)
	LEAQ (AX)(CX*4), AX

zeros:
	MOVQ hi+56(FP), CX
	ZEROS(behind, behindTail, behindOne, behindEnd)
	NEXT

// func padRows2F32AVX512(dst, src *float32, drs, srs, rows, lo, n, hi, ahead int)
TEXT ·padRows2F32AVX512(SB), NOSPLIT, $0-72
	ARGUMENTS
	VMOVUPS ·evens(SB), Z30

row:
	MOVQ DI, AX
	MOVQ SI, BX
	MOVQ lo+40(FP), CX
	ZEROS(before, beforeTail, beforeOne, beforeEnd)
	MOVQ n+48(FP), CX
	SUBQ $17, CX // the last element has no other behind it
	JLT rest

copy:
	PREFETCHT0 (BX)(R11*1)
	PREFETCHT0 64(BX)(R11*1)
	VMOVUPS (BX), Z0
	VMOVUPS 64(BX), Z1
	VPERMT2PS Z1, Z30, Z0
	VMOVUPS Z0, (AX)
	ADDQ $64, AX
	ADDQ $128, BX
	SUBQ $16, CX
	JGE copy

rest:
	PREFETCHT0 (BX)(R11*1)
	ADDQ $17, CX // 1 to 16
	LEAQ -1(CX)(CX*1), DX // elements of the source
	BZHIQ DX, R13, R12
	KMOVW R12, K2
	SHRQ $16, R12
	KMOVW R12, K3
	VMOVUPS.Z (BX), K2, Z0
	VMOVUPS.Z 64(BX), K3, Z1
	VPERMT2PS Z1, Z30, Z0
	BZHIQ CX, R13, R12
	KMOVW R12, K1
	VMOVUPS Z0, K1, (AX)
	LEAQ (AX)(CX*4), AX
	MOVQ hi+56(FP), CX
	ZEROS(behind, behindTail, behindOne, behindEnd)
	NEXT

// func padRows4F32AVX512(dst, src *float32, drs, srs, rows, lo, n, hi, ahead int)
TEXT ·padRows4F32AVX512(SB), NOSPLIT, $0-72
	ARGUMENTS
	VMOVUPS ·evens(SB), Z30

row:
	MOVQ DI, AX
	MOVQ SI, BX
	MOVQ lo+40(FP), CX
	ZEROS(before, beforeTail, beforeOne, beforeEnd)
	MOVQ n+48(FP), CX
	SUBQ $17, CX // the last element has no others behind it
	JLT rest

copy:
	VMOVUPS (BX), Z0
	VMOVUPS 64(BX), Z1
	VMOVUPS 128(BX), Z2
	VMOVUPS 192(BX), Z3
	VPERMT2PS Z1, Z30, Z0
	VPERMT2PS Z3, Z30, Z2
	VPERMT2PS Z2, Z30, Z0
	VMOVUPS Z0, (AX)
	ADDQ $64, AX
	ADDQ $256, BX
	SUBQ $16, CX
	JGE copy

rest:
	ADDQ $17, CX // 1 to 16
	LEAQ -3(CX*4), DX // elements of the source, 1 to 61
	BZHIQ DX, R13, R12
	KMOVW R12, K2
	SHRQ $16, R12
	KMOVW R12, K3
	SHRQ $16, R12
	KMOVW R12, K4
	SHRQ $16, R12
	KMOVW R12, K5
	VMOVUPS.Z (BX), K2, Z0
	VMOVUPS.Z 64(BX), K3, Z1
	VMOVUPS.Z 128(BX), K4, Z2
	VMOVUPS.Z 192(BX), K5, Z3
	VPERMT2PS Z1, Z30, Z0
	VPERMT2PS Z3, Z30, Z2
	VPERMT2PS Z2, Z30, Z0
	BZHIQ CX, R13, R12
	KMOVW R12, K1
	VMOVUPS Z0, K1, (AX)
	LEAQ (AX)(CX*4), AX
	MOVQ hi+56(FP), CX
	ZEROS(behind, behindTail, behindOne, behindEnd)
	NEXT
