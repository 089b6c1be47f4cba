//go:build !purego

#include "textflag.h"

// Fields of Window3x3.
#define ROWS 0
#define COLS 8
#define INROWS 16
#define ROW 32
#define COL 40
#define ZSTRIDE 48
#define XSTRIDE 56
#define MASKS 64

// The masks of 16 columns.
#define LOADMASKS \
	KMOVW (R13), K1; \
	KMOVW 2(R13), K2; \
	KMOVW 4(R13), K3; \
	KMOVW 6(R13), K4

// Three taps read a row of the input, 16 columns, at AX.
#define LOADX \
	VMOVUPS.Z (AX), K1, Z4; \
	VMOVUPS.Z 4(AX), K2, Z5; \
	VMOVUPS.Z 8(AX), K3, Z6

// One row of taps is added to the sums of an output row.
#define ADDTAPS(w0, w1, w2, acc) \
	VFMADD231PS w0, Z4, acc; \
	VFMADD231PS w1, Z5, acc; \
	VFMADD231PS w2, Z6, acc

// The next row of the input; it counts if BX, its number, is one.
#define NEXTROW \
	ADDQ R9, AX; \
	INCQ BX

// func depthwise3x3F32AVX512(z, x *float32, taps *[9]float32, w *Window3x3)
//
// Four output rows at a time, 16 columns: six input rows are read for them, each once.
TEXT ·depthwise3x3F32AVX512(SB), NOSPLIT, $0-32
	MOVQ z+0(FP), DI
	MOVQ taps+16(FP), AX
	MOVQ w+24(FP), SI
	VBROADCASTSS (AX), Z16
	VBROADCASTSS 4(AX), Z17
	VBROADCASTSS 8(AX), Z18
	VBROADCASTSS 12(AX), Z19
	VBROADCASTSS 16(AX), Z20
	VBROADCASTSS 20(AX), Z21
	VBROADCASTSS 24(AX), Z22
	VBROADCASTSS 28(AX), Z23
	VBROADCASTSS 32(AX), Z24
	MOVQ ZSTRIDE(SI), R8
	SHLQ $2, R8
	MOVQ XSTRIDE(SI), R9
	SHLQ $2, R9
	MOVQ INROWS(SI), R10
	MOVQ ROW(SI), R11 // the input row of the block's first tap
	MOVQ R11, AX
	IMULQ R9, AX
	MOVQ COL(SI), BX
	LEAQ (AX)(BX*4), AX
	ADDQ x+8(FP), AX
	MOVQ AX, R12      // and its address, even if outside
	MOVQ ROWS(SI), R15

rows:
	MOVQ MASKS(SI), R13
	MOVQ COLS(SI), CX
	XORQ R14, R14 // bytes into the rows

cols:
	LOADMASKS
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	LEAQ (R12)(R14*1), AX
	MOVQ R11, BX
	CMPQ BX, R10
	JCC row1
	LOADX
	ADDTAPS(Z16, Z17, Z18, Z0)

row1:
	NEXTROW
	CMPQ BX, R10
	JCC row2
	LOADX
	ADDTAPS(Z19, Z20, Z21, Z0)
	ADDTAPS(Z16, Z17, Z18, Z1)

row2:
	NEXTROW
	CMPQ BX, R10
	JCC row3
	LOADX
	ADDTAPS(Z22, Z23, Z24, Z0)
	ADDTAPS(Z19, Z20, Z21, Z1)
	ADDTAPS(Z16, Z17, Z18, Z2)

row3:
	NEXTROW
	CMPQ BX, R10
	JCC row4
	LOADX
	ADDTAPS(Z22, Z23, Z24, Z1)
	ADDTAPS(Z19, Z20, Z21, Z2)
	ADDTAPS(Z16, Z17, Z18, Z3)

row4:
	NEXTROW
	CMPQ BX, R10
	JCC row5
	LOADX
	ADDTAPS(Z22, Z23, Z24, Z2)
	ADDTAPS(Z19, Z20, Z21, Z3)

row5:
	NEXTROW
	CMPQ BX, R10
	JCC store
	LOADX
	ADDTAPS(Z22, Z23, Z24, Z3)

store:
	LEAQ (DI)(R14*1), AX
	VMOVUPS Z0, K4, (AX)
	CMPQ R15, $2
	JLT next
	ADDQ R8, AX
	VMOVUPS Z1, K4, (AX)
	CMPQ R15, $3
	JLT next
	ADDQ R8, AX
	VMOVUPS Z2, K4, (AX)
	CMPQ R15, $4
	JLT next
	ADDQ R8, AX
	VMOVUPS Z3, K4, (AX)

next:
	ADDQ $8, R13
	ADDQ $64, R14
	SUBQ $16, CX
	JGT cols
	LEAQ (DI)(R8*4), DI
	LEAQ (R12)(R9*4), R12
	ADDQ $4, R11
	SUBQ $4, R15
	JGT rows
	VZEROUPPER
	RET

// One row of outputs for 16 columns, number DX, at R12; it counts if it is less than R15.
#define ADDROW(skip, acc0, acc1, acc2) \
	CMPQ DX, R15; \
	JCC skip; \
	VMOVUPS.Z (R12), K4, Z12; \
	VFMADD231PS Z12, Z4, acc0; \
	VFMADD231PS Z12, Z5, acc1; \
	VFMADD231PS Z12, Z6, acc2; \
skip: \
	SUBQ R8, R12; \
	DECQ DX

// func correlate3x3F32AVX512(sums *[9][16]float32, cot, x *float32, w *Window3x3)
//
// Each input row is read once, for the three output rows whose windows cover it.
TEXT ·correlate3x3F32AVX512(SB), NOSPLIT, $0-32
	MOVQ sums+0(FP), AX
	VMOVUPS (AX), Z16
	VMOVUPS 64(AX), Z17
	VMOVUPS 128(AX), Z18
	VMOVUPS 192(AX), Z19
	VMOVUPS 256(AX), Z20
	VMOVUPS 320(AX), Z21
	VMOVUPS 384(AX), Z22
	VMOVUPS 448(AX), Z23
	VMOVUPS 512(AX), Z24
	MOVQ w+24(FP), SI
	MOVQ ZSTRIDE(SI), R8
	SHLQ $2, R8
	MOVQ XSTRIDE(SI), R9
	SHLQ $2, R9
	MOVQ INROWS(SI), R10
	MOVQ ROWS(SI), R15
	XORQ R11, R11
	SUBQ ROW(SI), R11 // the output row whose first taps see the input row
	MOVQ R11, DI
	IMULQ R8, DI
	ADDQ cot+8(FP), DI // and its address, even if outside
	MOVQ COL(SI), BX
	MOVQ x+16(FP), AX
	LEAQ (AX)(BX*4), AX

crows:
	MOVQ MASKS(SI), R13
	MOVQ COLS(SI), CX
	MOVQ AX, BX
	MOVQ DI, R14

ccols:
	LOADMASKS
	LOADX
	MOVQ R11, DX
	MOVQ R14, R12
	ADDROW(skip0, Z16, Z17, Z18)
	ADDROW(skip1, Z19, Z20, Z21)
	ADDROW(skip2, Z22, Z23, Z24)
	ADDQ $8, R13
	ADDQ $64, AX
	ADDQ $64, R14
	SUBQ $16, CX
	JGT ccols
	LEAQ (BX)(R9*1), AX
	ADDQ R8, DI
	INCQ R11
	DECQ R10
	JNZ crows

	MOVQ sums+0(FP), AX
	VMOVUPS Z16, (AX)
	VMOVUPS Z17, 64(AX)
	VMOVUPS Z18, 128(AX)
	VMOVUPS Z19, 192(AX)
	VMOVUPS Z20, 256(AX)
	VMOVUPS Z21, 320(AX)
	VMOVUPS Z22, 384(AX)
	VMOVUPS Z23, 448(AX)
	VMOVUPS Z24, 512(AX)
	VZEROUPPER
	RET
