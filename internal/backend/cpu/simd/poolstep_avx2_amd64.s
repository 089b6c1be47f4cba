//go:build !purego

#include "textflag.h"

// As poolstep_amd64.s, with vectors of eight.

// Sixteen words of ones, then of zeros: the mask of the first n elements begins n words before the zeros.
DATA edge<>+0(SB)/8, $-1
DATA edge<>+8(SB)/8, $-1
DATA edge<>+16(SB)/8, $-1
DATA edge<>+24(SB)/8, $-1
DATA edge<>+32(SB)/8, $-1
DATA edge<>+40(SB)/8, $-1
DATA edge<>+48(SB)/8, $-1
DATA edge<>+56(SB)/8, $-1
DATA edge<>+64(SB)/8, $0
DATA edge<>+72(SB)/8, $0
DATA edge<>+80(SB)/8, $0
DATA edge<>+88(SB)/8, $0
DATA edge<>+96(SB)/8, $0
DATA edge<>+104(SB)/8, $0
DATA edge<>+112(SB)/8, $0
DATA edge<>+120(SB)/8, $0
GLOBL edge<>(SB), RODATA|NOPTR, $128

// The low 32 bits of each of eight 64-bit words.
DATA lower<>+0(SB)/8, $0x0000000200000000
DATA lower<>+8(SB)/8, $0x0000000600000004
DATA lower<>+16(SB)/8, $0x0000000200000000
DATA lower<>+24(SB)/8, $0x0000000600000004
GLOBL lower<>(SB), RODATA|NOPTR, $32

// At most eight of CX elements: their number to DX, their mask to Y3. R13 is the edge.
#define GROUP(few) \
	MOVQ CX, DX; \
	CMPQ DX, $8; \
	JLE few; \
	MOVQ $8, DX; \
few: \
	MOVQ DX, R12; \
	NEGQ R12; \
	VMOVUPS 64(R13)(R12*4), Y3

// The elements of SI that are R9 apart to Y1, as many as Y3 has, DX of them, CX left in the row; the others are zero. Y11 are
// the multiples of the step. Uses Y2 and R12.
#define LOADSTEP(even, masked, pick, any, done) \
	CMPQ R9, $2; \
	JEQ even; \
	JGT any; \
	VMASKMOVPS (SI), Y3, Y1; \
	JMP done; \
even: \
	CMPQ CX, $9; \
	JLT masked; \
	VMOVUPS (SI), Y1; \
	VMOVUPS 32(SI), Y2; \
	JMP pick; \
masked: \
	LEAQ -1(DX)(DX*1), R12; \
	NEGQ R12; \
	VMOVUPS 64(R13)(R12*4), Y2; \
	VMASKMOVPS (SI), Y2, Y1; \
	VMOVUPS 96(R13)(R12*4), Y2; \
	VMASKMOVPS 32(SI), Y2, Y2; \
pick: \
	VSHUFPS $0x88, Y2, Y1, Y1; \
	VPERMPD $0xD8, Y1, Y1; \
	JMP done; \
any: \
	VMOVAPS Y3, Y2; \
	VXORPS Y1, Y1, Y1; \
	VGATHERDPS Y2, (SI)(Y11*4), Y1; \
done:

// The eight elements of Y1 with zeros between them: the first four to Y1, the others to Y2. Y7 is zero.
#define SPREAD \
	VUNPCKHPS Y7, Y1, Y2; \
	VUNPCKLPS Y7, Y1, Y4; \
	VPERM2F128 $0x20, Y2, Y4, Y1; \
	VPERM2F128 $0x31, Y2, Y4, Y2

// func maxStepF32AVX2(z *float32, at *int32, zrs int, x *float32, xrs, rows, n, step, base int)
TEXT ·maxStepF32AVX2(SB), NOSPLIT, $0-72
	MOVQ z+0(FP), DI
	MOVQ at+8(FP), R8
	MOVQ x+24(FP), SI
	MOVQ rows+40(FP), R11
	MOVQ step+56(FP), R9
	LEAQ edge<>(SB), R13
	VMOVQ R9, X11
	VPBROADCASTD X11, Y11
	VPSLLD $3, Y11, Y14 // eight steps
	VPMULLD ·ones(SB), Y11, Y11
	VMOVQ base+64(FP), X13
	VPBROADCASTD X13, Y13
	VPADDD Y11, Y13, Y13 // indices of the row
	VMOVQ xrs+32(FP), X12
	VPBROADCASTD X12, Y12
	MOVQ R9, R10
	SHLQ $5, R10 // bytes of eight steps

row:
	MOVQ n+48(FP), CX
	MOVQ SI, AX
	MOVQ DI, BX
	VMOVDQA Y13, Y15

group:
	GROUP(few)
	LOADSTEP(even, masked, pick, any, done)
	VMOVUPS (DI), Y0
	VCMPPS $30, Y0, Y1, Y4
	VCMPPS $3, Y1, Y1, Y5
	VORPS Y4, Y5, Y4
	VANDPS Y3, Y4, Y4
	VMOVUPS (R8), Y6
	VBLENDVPS Y4, Y1, Y0, Y0
	VBLENDVPS Y4, Y15, Y6, Y6
	VMOVUPS Y0, (DI)
	VMOVUPS Y6, (R8)
	VPADDD Y14, Y15, Y15
	ADDQ $32, DI
	ADDQ $32, R8
	ADDQ R10, SI
	SUBQ $8, CX
	JGT group
	SUBQ BX, DI
	SUBQ DI, R8
	MOVQ zrs+16(FP), CX
	LEAQ (R8)(CX*4), R8
	LEAQ (BX)(CX*4), DI
	MOVQ xrs+32(FP), CX
	LEAQ (AX)(CX*4), SI
	VPADDD Y12, Y13, Y13
	DECQ R11
	JNE row
	VZEROUPPER
	RET

// func addStepF32AVX2(z *float32, zrs int, x *float32, xrs, rows, n, step int)
TEXT ·addStepF32AVX2(SB), NOSPLIT, $0-56
	MOVQ z+0(FP), DI
	MOVQ zrs+8(FP), R8
	MOVQ x+16(FP), SI
	MOVQ rows+32(FP), R11
	MOVQ step+48(FP), R9
	LEAQ edge<>(SB), R13
	VMOVQ R9, X11
	VPBROADCASTD X11, Y11
	VPMULLD ·ones(SB), Y11, Y11
	MOVQ R9, R10
	SHLQ $5, R10

row:
	MOVQ n+40(FP), CX
	MOVQ SI, AX
	MOVQ DI, BX

group:
	GROUP(few)
	LOADSTEP(even, masked, pick, any, done)
	VADDPS (DI), Y1, Y1
	VMOVUPS Y1, (DI)
	ADDQ $32, DI
	ADDQ R10, SI
	SUBQ $8, CX
	JGT group
	LEAQ (BX)(R8*4), DI
	MOVQ xrs+24(FP), CX
	LEAQ (AX)(CX*4), SI
	DECQ R11
	JNE row
	VZEROUPPER
	RET

// func scatterStep2F32AVX2(z *float32, zrs int, x *float32, xrs, rows, n int)
TEXT ·scatterStep2F32AVX2(SB), NOSPLIT, $0-48
	MOVQ z+0(FP), DI
	MOVQ zrs+8(FP), R8
	MOVQ x+16(FP), SI
	MOVQ xrs+24(FP), R9
	MOVQ rows+32(FP), R11
	LEAQ edge<>(SB), R13
	VXORPS Y7, Y7, Y7

row:
	MOVQ n+40(FP), CX
	MOVQ SI, AX
	MOVQ DI, BX

group:
	GROUP(few)
	VMASKMOVPS (SI), Y3, Y1
	SPREAD
	VADDPS (DI), Y1, Y1
	VADDPS 32(DI), Y2, Y2
	VMOVUPS Y1, (DI)
	VMOVUPS Y2, 32(DI)
	ADDQ $64, DI
	ADDQ $32, SI
	SUBQ $8, CX
	JGT group
	LEAQ (BX)(R8*4), DI
	LEAQ (AX)(R9*4), SI
	DECQ R11
	JNE row
	VZEROUPPER
	RET

// func unpoolStepF32AVX2(z *float32, zrs int, x *float32, at *int32, xrs, rows, n, step, base, prs int)
TEXT ·unpoolStepF32AVX2(SB), NOSPLIT, $0-80
	MOVQ z+0(FP), DI
	MOVQ zrs+8(FP), R8
	MOVQ x+16(FP), SI
	MOVQ at+24(FP), R10
	MOVQ xrs+32(FP), R9
	MOVQ rows+40(FP), R11
	MOVQ step+56(FP), R15
	LEAQ edge<>(SB), R13
	VXORPS Y7, Y7, Y7
	VMOVQ R15, X14
	VPBROADCASTD X14, Y14
	VPMULLD ·ones(SB), Y14, Y13
	VPSLLD $3, Y14, Y14 // of eight steps
	VMOVQ base+64(FP), X12
	VPBROADCASTD X12, Y12
	VPADDD Y13, Y12, Y13 // indices of the row
	VMOVQ prs+72(FP), X12
	VPBROADCASTD X12, Y12
	SUBQ SI, R10

row:
	MOVQ n+48(FP), CX
	MOVQ SI, AX
	MOVQ DI, BX
	VMOVDQA Y13, Y15

group:
	GROUP(few)
	VPMASKMOVD (SI)(R10*1), Y3, Y5
	VPCMPEQD Y15, Y5, Y5
	VANDPS Y3, Y5, Y5
	VMASKMOVPS (SI), Y5, Y1
	VPADDD Y14, Y15, Y15
	CMPQ R15, $1
	JEQ whole
	SPREAD
	VADDPS 32(DI), Y2, Y2
	VMOVUPS Y2, 32(DI)
	VADDPS (DI), Y1, Y1
	VMOVUPS Y1, (DI)
	ADDQ $64, DI
	JMP next

whole:
	VADDPS (DI), Y1, Y1
	VMOVUPS Y1, (DI)
	ADDQ $32, DI

next:
	ADDQ $32, SI
	SUBQ $8, CX
	JGT group
	LEAQ (BX)(R8*4), DI
	LEAQ (AX)(R9*4), SI
	VPADDD Y12, Y13, Y13
	DECQ R11
	JNE row
	VZEROUPPER
	RET

// func widenIndicesAVX2(z *int64, x *int32, n int)
TEXT ·widenIndicesAVX2(SB), NOSPLIT, $0-24
	MOVQ z+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX

group:
	VPMOVSXDQ (SI), Y0
	VPMOVSXDQ 16(SI), Y1
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	ADDQ $32, SI
	ADDQ $64, DI
	SUBQ $8, CX
	JGT group
	VZEROUPPER
	RET

// The eight 64-bit indices at SI to Y0: -1 if negative or too large. Y6 is lower, Y7 zero; uses Y1, Y2, Y4.
#define NARROW(from, from2) \
	VMOVDQU from, Y0; \
	VMOVDQU from2, Y1; \
	VPSRLQ $31, Y0, Y2; \
	VPSRLQ $31, Y1, Y4; \
	VPCMPEQQ Y7, Y2, Y2; \
	VPCMPEQQ Y7, Y4, Y4; \
	VPERMD Y0, Y6, Y0; \
	VPERMD Y1, Y6, Y1; \
	VPERMD Y2, Y6, Y2; \
	VPERMD Y4, Y6, Y4; \
	VPBLENDD $0xF0, Y1, Y0, Y0; \
	VPBLENDD $0xF0, Y4, Y2, Y2; \
	VPCMPEQD Y7, Y2, Y2; \
	VPOR Y2, Y0, Y0

// func narrowIndicesAVX2(z *int32, x *int64, n int)
TEXT ·narrowIndicesAVX2(SB), NOSPLIT, $0-24
	MOVQ z+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	VMOVDQU lower<>(SB), Y6
	VPXOR Y7, Y7, Y7

group:
	NARROW((SI), 32(SI))
	VMOVDQU Y0, (DI)
	ADDQ $64, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JGT group
	VZEROUPPER
	RET

// Replaces Y0 by v, and Y4 by index, where v is greater or NaN.
#define TAKEMAX(v, index) \
	VCMPPS $30, Y0, v, Y8; \
	VCMPPS $3, v, v, Y9; \
	VORPS Y8, Y9, Y8; \
	VBLENDVPS Y8, v, Y0, Y0; \
	VBLENDVPS Y8, index, Y4, Y4

// func maxPoolRowAVX2(z *float32, at *int64, x, below *float32, n, first, second int)
//
// n is a multiple of eight.
TEXT ·maxPoolRowAVX2(SB), NOSPLIT, $0-56
	MOVQ z+0(FP), DI
	MOVQ at+8(FP), R8
	MOVQ x+16(FP), SI
	MOVQ below+24(FP), BX
	MOVQ n+32(FP), CX
	VMOVDQU ·ones(SB), Y10
	VPADDD Y10, Y10, Y11
	VMOVQ first+40(FP), X10
	VPBROADCASTD X10, Y10
	VPADDD Y11, Y10, Y10
	VMOVQ second+48(FP), X12
	VPBROADCASTD X12, Y12
	VPADDD Y11, Y12, Y12
	MOVL $1, AX
	VMOVD AX, X14
	VPBROADCASTD X14, Y14
	VPSLLD $4, Y14, Y15

group:
	VMOVUPS (SI), Y1
	VMOVUPS 32(SI), Y2
	VSHUFPS $0x88, Y2, Y1, Y0
	VSHUFPS $0xDD, Y2, Y1, Y3
	VPERMPD $0xD8, Y0, Y0
	VPERMPD $0xD8, Y3, Y3
	VMOVDQA Y10, Y4
	VPADDD Y14, Y10, Y5
	TAKEMAX(Y3, Y5)
	VMOVUPS (BX), Y1
	VMOVUPS 32(BX), Y2
	VSHUFPS $0x88, Y2, Y1, Y3
	VSHUFPS $0xDD, Y2, Y1, Y6
	VPERMPD $0xD8, Y3, Y3
	VPERMPD $0xD8, Y6, Y6
	TAKEMAX(Y3, Y12)
	VPADDD Y14, Y12, Y5
	TAKEMAX(Y6, Y5)
	VMOVUPS Y0, (DI)
	VPMOVSXDQ X4, Y5
	VEXTRACTI128 $1, Y4, X6
	VPMOVSXDQ X6, Y6
	VMOVDQU Y5, (R8)
	VMOVDQU Y6, 32(R8)
	VPADDD Y15, Y10, Y10
	VPADDD Y15, Y12, Y12
	ADDQ $32, DI
	ADDQ $64, R8
	ADDQ $64, SI
	ADDQ $64, BX
	SUBQ $8, CX
	JGT group
	VZEROUPPER
	RET

// 0, 0, 1, 1, …: each element twice, first of the low four, then of the high four.
DATA twice<>+0(SB)/8, $0x0000000000000000
DATA twice<>+8(SB)/8, $0x0000000100000001
DATA twice<>+16(SB)/8, $0x0000000200000002
DATA twice<>+24(SB)/8, $0x0000000300000003
DATA twice<>+32(SB)/8, $0x0000000400000004
DATA twice<>+40(SB)/8, $0x0000000500000005
DATA twice<>+48(SB)/8, $0x0000000600000006
DATA twice<>+56(SB)/8, $0x0000000700000007
GLOBL twice<>(SB), RODATA|NOPTR, $64

// Stores the eight elements of x where at equals index, and zeros for the others.
#define UNPOOL(x, at, index, to) \
	VPCMPEQD at, index, Y8; \
	VADDPS Y7, x, Y9; \
	VANDPS Y8, Y9, Y9; \
	VMOVUPS Y9, to

// func maxUnpoolRowAVX2(z, below, x *float32, at *int64, n, first, second int)
//
// n is a multiple of eight.
TEXT ·maxUnpoolRowAVX2(SB), NOSPLIT, $0-56
	MOVQ z+0(FP), DI
	MOVQ below+8(FP), BX
	MOVQ x+16(FP), SI
	MOVQ at+24(FP), R8
	MOVQ n+32(FP), CX
	VMOVDQU lower<>(SB), Y6
	VPXOR Y7, Y7, Y7
	VMOVDQU ·ones(SB), Y11
	VMOVQ first+40(FP), X10
	VPBROADCASTD X10, Y10
	VPADDD Y11, Y10, Y10
	VMOVQ second+48(FP), X12
	VPBROADCASTD X12, Y12
	VPADDD Y11, Y12, Y12
	MOVL $8, AX
	VMOVD AX, X11
	VPBROADCASTD X11, Y11
	VMOVDQU twice<>+0(SB), Y14
	VMOVDQU twice<>+32(SB), Y15

group:
	NARROW((R8), 32(R8))
	VPERMD Y0, Y15, Y3
	VPERMD Y0, Y14, Y2
	VMOVUPS (SI), Y0
	VPERMPS Y0, Y15, Y1
	VPERMPS Y0, Y14, Y0
	UNPOOL(Y0, Y2, Y10, (DI))
	VPADDD Y11, Y10, Y10
	UNPOOL(Y1, Y3, Y10, 32(DI))
	VPADDD Y11, Y10, Y10
	UNPOOL(Y0, Y2, Y12, (BX))
	VPADDD Y11, Y12, Y12
	UNPOOL(Y1, Y3, Y12, 32(BX))
	VPADDD Y11, Y12, Y12
	ADDQ $32, SI
	ADDQ $64, R8
	ADDQ $64, DI
	ADDQ $64, BX
	SUBQ $8, CX
	JGT group
	VZEROUPPER
	RET
