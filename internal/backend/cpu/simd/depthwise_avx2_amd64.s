//go:build !purego

#include "textflag.h"

// NEAR adds three taps of a row to eight columns, FAR to the eight that follow.
#define NEAR(p, a, b, c) \
	VFMADD231PS (p), a, Y0; \
	VFMADD231PS 4(p), b, Y0; \
	VFMADD231PS 8(p), c, Y0

#define FAR(p, a, b, c) \
	VFMADD231PS 32(p), a, Y1; \
	VFMADD231PS 36(p), b, Y1; \
	VFMADD231PS 40(p), c, Y1

// func depthwiseRowAVX2(z, x, taps *float32, n, rows, xs int)
// n is a multiple of 8; rows is 1, 2 or 3. SI, R9 and R10 are the rows of x.
TEXT ·depthwiseRowAVX2(SB), NOSPLIT, $0-48
	MOVQ z+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ taps+16(FP), DX
	MOVQ n+24(FP), CX
	MOVQ rows+32(FP), BX
	MOVQ xs+40(FP), R8
	LEAQ (SI)(R8*4), R9
	LEAQ (R9)(R8*4), R10
	VBROADCASTSS (DX), Y7
	VBROADCASTSS 4(DX), Y8
	VBROADCASTSS 8(DX), Y9
	CMPQ BX, $2
	JLT loop
	VBROADCASTSS 12(DX), Y10
	VBROADCASTSS 16(DX), Y11
	VBROADCASTSS 20(DX), Y12
	JEQ loop
	VBROADCASTSS 24(DX), Y13
	VBROADCASTSS 28(DX), Y14
	VBROADCASTSS 32(DX), Y15

loop:
	CMPQ CX, $16
	JLT eight
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	NEAR(SI, Y7, Y8, Y9)
	FAR(SI, Y7, Y8, Y9)
	CMPQ BX, $2
	JLT store
	NEAR(R9, Y10, Y11, Y12)
	FAR(R9, Y10, Y11, Y12)
	JEQ store
	NEAR(R10, Y13, Y14, Y15)
	FAR(R10, Y13, Y14, Y15)

store:
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	ADDQ $64, DI
	ADDQ $64, SI
	ADDQ $64, R9
	ADDQ $64, R10
	SUBQ $16, CX
	JMP loop

eight:
	TESTQ CX, CX
	JEQ done
	VXORPS Y0, Y0, Y0
	NEAR(SI, Y7, Y8, Y9)
	CMPQ BX, $2
	JLT last
	NEAR(R9, Y10, Y11, Y12)
	JEQ last
	NEAR(R10, Y13, Y14, Y15)

last:
	VMOVUPS Y0, (DI)

done:
	VZEROUPPER
	RET

// func correlateRowAVX2(sums *[16]float32, cot, x *float32, n int)
// n is a multiple of 16; sums are three times 16.
TEXT ·correlateRowAVX2(SB), NOSPLIT, $0-32
	MOVQ sums+0(FP), DI
	MOVQ cot+8(FP), DX
	MOVQ x+16(FP), SI
	MOVQ n+24(FP), CX
	VMOVUPS (DI), Y0
	VMOVUPS 32(DI), Y1
	VMOVUPS 64(DI), Y2
	VMOVUPS 96(DI), Y3
	VMOVUPS 128(DI), Y4
	VMOVUPS 160(DI), Y5

loop:
	VMOVUPS (DX), Y6
	VMOVUPS 32(DX), Y7
	VFMADD231PS (SI), Y6, Y0
	VFMADD231PS 32(SI), Y7, Y1
	VFMADD231PS 4(SI), Y6, Y2
	VFMADD231PS 36(SI), Y7, Y3
	VFMADD231PS 8(SI), Y6, Y4
	VFMADD231PS 40(SI), Y7, Y5
	ADDQ $64, DX
	ADDQ $64, SI
	SUBQ $16, CX
	JNE loop
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	VMOVUPS Y4, 128(DI)
	VMOVUPS Y5, 160(DI)
	VZEROUPPER
	RET

// func correlateFourAVX2(sums, cot, x *float32)
TEXT ·correlateFourAVX2(SB), NOSPLIT, $0-24
	MOVQ sums+0(FP), DI
	MOVQ cot+8(FP), DX
	MOVQ x+16(FP), SI
	VMOVUPS (DX), X0
	VMOVUPS (DI), X1
	VMOVUPS 64(DI), X2
	VMOVUPS 128(DI), X3
	VFMADD231PS (SI), X0, X1
	VFMADD231PS 4(SI), X0, X2
	VFMADD231PS 8(SI), X0, X3
	VMOVUPS X1, (DI)
	VMOVUPS X2, 64(DI)
	VMOVUPS X3, 128(DI)
	VZEROUPPER
	RET
