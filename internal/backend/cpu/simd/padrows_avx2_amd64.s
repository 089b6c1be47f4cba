//go:build !purego

#include "textflag.h"

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
	VXORPS Y7, Y7, Y7

// Zeros for CX elements from AX on; AX is then behind them.
#define ZEROS(loop, tail, one, end) \
	SUBQ $8, CX; \
	JLT tail; \
loop: \
	VMOVUPS Y7, (AX); \
	ADDQ $32, AX; \
	SUBQ $8, CX; \
	JGE loop; \
tail: \
	ADDQ $8, CX; \
	JEQ end; \
one: \
	MOVL $0, (AX); \
	ADDQ $4, AX; \
	DECQ CX; \
	JNE one; \
end:

// CX single elements, step bytes apart.
#define SINGLES(loop, step) \
loop: \
	MOVL (BX), DX; \
	MOVL DX, (AX); \
	ADDQ $step, BX; \
	ADDQ $4, AX; \
	DECQ CX; \
	JNE loop

#define NEXT \
	ADDQ R8, DI; \
	ADDQ R9, SI; \
	DECQ R10; \
	JNZ row; \
	VZEROUPPER; \
	RET

// func padRows1F32AVX2(dst, src *float32, drs, srs, rows, lo, n, hi, ahead int)
//
// Rows of a vector or more end with one that may overlap the one before it.
TEXT ·padRows1F32AVX2(SB), NOSPLIT, $0-72
	ARGUMENTS

row:
	MOVQ DI, AX
	MOVQ SI, BX
	MOVQ lo+40(FP), CX
	ZEROS(before, beforeTail, beforeOne, beforeEnd)
	MOVQ n+48(FP), CX
	PREFETCHT0 (BX)(R11*1)
	SUBQ $16, CX
	JLT eight

copy:
	PREFETCHT0 64(BX)(R11*1)
	VMOVUPS (BX), Y0
	VMOVUPS 32(BX), Y1
	VMOVUPS Y0, (AX)
	VMOVUPS Y1, 32(AX)
	ADDQ $64, AX
	ADDQ $64, BX
	SUBQ $16, CX
	JGE copy

eight:
	ADDQ $8, CX // at least eight are left if it is not negative
	JLT last
	VMOVUPS (BX), Y0
	VMOVUPS Y0, (AX)
	ADDQ $32, AX
	ADDQ $32, BX
	SUBQ $8, CX

last:
	ADDQ $8, CX // less than eight
	JEQ zeros
	CMPQ n+48(FP), $8
	JLT few
	LEAQ (BX)(CX*4), BX
	LEAQ (AX)(CX*4), AX
	VMOVUPS -32(BX), Y0
	VMOVUPS Y0, -32(AX)
	JMP zeros

few:
	CMPQ CX, $4
	JLT two
	VMOVUPS (BX), X0
	VMOVUPS -16(BX)(CX*4), X1
	VMOVUPS X0, (AX)
	VMOVUPS X1, -16(AX)(CX*4)
	LEAQ (AX)(CX*4), AX
	JMP zeros

two:
	CMPQ CX, $2
	JLT single
	MOVQ (BX), DX
	MOVL -4(BX)(CX*4), R12
	MOVQ DX, (AX)
	MOVL R12, -4(AX)(CX*4)
	LEAQ (AX)(CX*4), AX
	JMP zeros

single:
	MOVL (BX), DX
	MOVL DX, (AX)
	ADDQ $4, AX

zeros:
	MOVQ hi+56(FP), CX
	ZEROS(behind, behindTail, behindOne, behindEnd)
	NEXT

// func padRows2F32AVX2(dst, src *float32, drs, srs, rows, lo, n, hi, ahead int)
TEXT ·padRows2F32AVX2(SB), NOSPLIT, $0-72
	ARGUMENTS

row:
	MOVQ DI, AX
	MOVQ SI, BX
	MOVQ lo+40(FP), CX
	ZEROS(before, beforeTail, beforeOne, beforeEnd)
	MOVQ n+48(FP), CX
	PREFETCHT0 (BX)(R11*1)
	SUBQ $9, CX // the last element has no other behind it
	JLT rest

copy:
	PREFETCHT0 64(BX)(R11*1)
	VMOVUPS (BX), Y0
	VSHUFPS $0x88, 32(BX), Y0, Y0
	VPERMPD $0xD8, Y0, Y0
	VMOVUPS Y0, (AX)
	ADDQ $32, AX
	ADDQ $64, BX
	SUBQ $8, CX
	JGE copy

rest:
	ADDQ $9, CX // 1 to 8
	SINGLES(single, 8)
	MOVQ hi+56(FP), CX
	ZEROS(behind, behindTail, behindOne, behindEnd)
	NEXT

// func padRows4F32AVX2(dst, src *float32, drs, srs, rows, lo, n, hi, ahead int)
TEXT ·padRows4F32AVX2(SB), NOSPLIT, $0-72
	ARGUMENTS

row:
	MOVQ DI, AX
	MOVQ SI, BX
	MOVQ lo+40(FP), CX
	ZEROS(before, beforeTail, beforeOne, beforeEnd)
	MOVQ n+48(FP), CX
	SUBQ $9, CX // the last element has no others behind it
	JLT rest

copy:
	VMOVUPS (BX), Y0
	VSHUFPS $0x88, 32(BX), Y0, Y0
	VPERMPD $0xD8, Y0, Y0
	VMOVUPS 64(BX), Y1
	VSHUFPS $0x88, 96(BX), Y1, Y1
	VPERMPD $0xD8, Y1, Y1
	VSHUFPS $0x88, Y1, Y0, Y0
	VPERMPD $0xD8, Y0, Y0
	VMOVUPS Y0, (AX)
	ADDQ $32, AX
	ADDQ $128, BX
	SUBQ $8, CX
	JGE copy

rest:
	ADDQ $9, CX // 1 to 8
	SINGLES(single, 16)
	MOVQ hi+56(FP), CX
	ZEROS(behind, behindTail, behindOne, behindEnd)
	NEXT
