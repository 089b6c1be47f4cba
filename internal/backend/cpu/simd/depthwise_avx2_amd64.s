//go:build !purego

#include "textflag.h"

// As depthwise_amd64.s, with vectors of eight. Masks are in memory, eight words each: three for the taps, one for the outputs.

// Fields of Window3x3.
#define ROWS 0
#define COLS 8
#define INROWS 16
#define ROW 32
#define COL 40
#define ZSTRIDE 48
#define XSTRIDE 56
#define ENDED 88
#define LANES 112

// Three taps read a row of the input, 8 columns, at AX.
#define LOADX \
	VMOVUPS (R13), Y4; \
	VMASKMOVPS (AX), Y4, Y4; \
	VMOVUPS 32(R13), Y5; \
	VMASKMOVPS 4(AX), Y5, Y5; \
	VMOVUPS 64(R13), Y6; \
	VMASKMOVPS 8(AX), Y6, Y6

// One row of taps is added to the sums of an output row.
#define ADDTAPS(w0, w1, w2, acc) \
	VFMADD231PS w0, Y4, acc; \
	VFMADD231PS w1, Y5, acc; \
	VFMADD231PS w2, Y6, acc

// The next row of the input; it counts if BX, its number, is one.
#define NEXTROW \
	ADDQ R9, AX; \
	INCQ BX

// func depthwise3x3F32AVX2(z, x *float32, taps *[9]float32, w *Window3x3)
//
// Four output rows at a time, 8 columns. The last columns of a row are computed with some of those before them: stores by a mask
// are slow. Rows that are shorter have no others.
TEXT ·depthwise3x3F32AVX2(SB), NOSPLIT, $0-32
	MOVQ z+0(FP), DI
	MOVQ taps+16(FP), AX
	MOVQ w+24(FP), SI
	VBROADCASTSS (AX), Y7
	VBROADCASTSS 4(AX), Y8
	VBROADCASTSS 8(AX), Y9
	VBROADCASTSS 12(AX), Y10
	VBROADCASTSS 16(AX), Y11
	VBROADCASTSS 20(AX), Y12
	VBROADCASTSS 24(AX), Y13
	VBROADCASTSS 28(AX), Y14
	VBROADCASTSS 32(AX), Y15
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
	MOVQ ENDED(SI), R13
	MOVQ COLS(SI), CX
	XORQ DX, DX // bytes into the rows

cols:
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	LEAQ (R12)(DX*1), AX
	MOVQ R11, BX
	CMPQ BX, R10
	JCC row1
	LOADX
	ADDTAPS(Y7, Y8, Y9, Y0)

row1:
	NEXTROW
	CMPQ BX, R10
	JCC row2
	LOADX
	ADDTAPS(Y10, Y11, Y12, Y0)
	ADDTAPS(Y7, Y8, Y9, Y1)

row2:
	NEXTROW
	CMPQ BX, R10
	JCC row3
	LOADX
	ADDTAPS(Y13, Y14, Y15, Y0)
	ADDTAPS(Y10, Y11, Y12, Y1)
	ADDTAPS(Y7, Y8, Y9, Y2)

row3:
	NEXTROW
	CMPQ BX, R10
	JCC row4
	LOADX
	ADDTAPS(Y13, Y14, Y15, Y1)
	ADDTAPS(Y10, Y11, Y12, Y2)
	ADDTAPS(Y7, Y8, Y9, Y3)

row4:
	NEXTROW
	CMPQ BX, R10
	JCC row5
	LOADX
	ADDTAPS(Y13, Y14, Y15, Y2)
	ADDTAPS(Y10, Y11, Y12, Y3)

row5:
	NEXTROW
	CMPQ BX, R10
	JCC store
	LOADX
	ADDTAPS(Y13, Y14, Y15, Y3)

store:
	LEAQ (DI)(DX*1), AX
	CMPQ CX, $8
	JLT short
	VMOVUPS Y0, (AX)
	CMPQ R15, $2
	JLT next
	ADDQ R8, AX
	VMOVUPS Y1, (AX)
	CMPQ R15, $3
	JLT next
	ADDQ R8, AX
	VMOVUPS Y2, (AX)
	CMPQ R15, $4
	JLT next
	ADDQ R8, AX
	VMOVUPS Y3, (AX)

next:
	ADDQ $128, R13
	ADDQ $32, DX
	SUBQ $8, CX
	JLE below
	CMPQ CX, $8
	JGE cols
	LEAQ -32(DX)(CX*4), DX // the last eight
	MOVQ $8, CX
	JMP cols

short:
	VMOVUPS 96(R13), Y4
	VMASKMOVPS Y0, Y4, (AX)
	CMPQ R15, $2
	JLT below
	ADDQ R8, AX
	VMASKMOVPS Y1, Y4, (AX)
	CMPQ R15, $3
	JLT below
	ADDQ R8, AX
	VMASKMOVPS Y2, Y4, (AX)
	CMPQ R15, $4
	JLT below
	ADDQ R8, AX
	VMASKMOVPS Y3, Y4, (AX)

below:
	LEAQ (DI)(R8*4), DI
	LEAQ (R12)(R9*4), R12
	ADDQ $4, R11
	SUBQ $4, R15
	JGT rows
	VZEROUPPER
	RET

// One row of outputs for 8 columns, number DX, at R12; it counts if it is less than R15.
#define ADDROW(skip, acc0, acc1, acc2) \
	CMPQ DX, R15; \
	JCC skip; \
	VMOVUPS 96(R13), Y0; \
	VMASKMOVPS (R12), Y0, Y0; \
	VFMADD231PS Y0, Y4, acc0; \
	VFMADD231PS Y0, Y5, acc1; \
	VFMADD231PS Y0, Y6, acc2; \
skip: \
	SUBQ R8, R12; \
	DECQ DX

// func correlate3x3F32AVX2(sums, cot, x *float32, w *Window3x3, half int)
//
// Every second eight columns, from half on: so many sums fit into the registers.
TEXT ·correlate3x3F32AVX2(SB), NOSPLIT, $0-40
	MOVQ sums+0(FP), AX
	VMOVUPS (AX), Y7
	VMOVUPS 64(AX), Y8
	VMOVUPS 128(AX), Y9
	VMOVUPS 192(AX), Y10
	VMOVUPS 256(AX), Y11
	VMOVUPS 320(AX), Y12
	VMOVUPS 384(AX), Y13
	VMOVUPS 448(AX), Y14
	VMOVUPS 512(AX), Y15
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
	MOVQ half+32(FP), BX
	SHLQ $5, BX
	ADDQ BX, DI
	MOVQ x+16(FP), AX
	ADDQ BX, AX
	MOVQ COL(SI), BX
	LEAQ (AX)(BX*4), AX

crows:
	MOVQ half+32(FP), CX
	SHLQ $7, CX
	MOVQ LANES(SI), R13
	ADDQ CX, R13
	SHRQ $4, CX
	NEGQ CX
	ADDQ COLS(SI), CX
	MOVQ AX, BX
	MOVQ DI, R14

ccols:
	LOADX
	MOVQ R11, DX
	MOVQ R14, R12
	ADDROW(skip0, Y7, Y8, Y9)
	ADDROW(skip1, Y10, Y11, Y12)
	ADDROW(skip2, Y13, Y14, Y15)
	ADDQ $256, R13
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
	VMOVUPS Y7, (AX)
	VMOVUPS Y8, 64(AX)
	VMOVUPS Y9, 128(AX)
	VMOVUPS Y10, 192(AX)
	VMOVUPS Y11, 256(AX)
	VMOVUPS Y12, 320(AX)
	VMOVUPS Y13, 384(AX)
	VMOVUPS Y14, 448(AX)
	VMOVUPS Y15, 512(AX)
	VZEROUPPER
	RET
