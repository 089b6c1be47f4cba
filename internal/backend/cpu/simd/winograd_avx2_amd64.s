//go:build !purego

#include "textflag.h"

// As winograd_amd64.s, with vectors of eight: two of them are a group. Between the two passes of a transform the tiles are in scratch.

DATA winogradFour<>+0(SB)/4, $0x40800000 // 4
GLOBL winogradFour<>(SB), RODATA|NOPTR, $4
DATA winogradFive<>+0(SB)/4, $0x40a00000 // 5
GLOBL winogradFive<>(SB), RODATA|NOPTR, $4
DATA winogradTwo<>+0(SB)/4, $0x40000000 // 2
GLOBL winogradTwo<>(SB), RODATA|NOPTR, $4
DATA winogradEight<>+0(SB)/4, $0x41000000 // 8
GLOBL winogradEight<>(SB), RODATA|NOPTR, $4

// Six inputs, Y0 to Y5, become Y10, Y14, Y6, Y7, Y8, Y11; Y12 is 4, Y13 is 5.
#define INPUTS \
	VMOVAPS Y4, Y6; \
	VFNMADD231PS Y2, Y12, Y6; \
	VMOVAPS Y3, Y7; \
	VFNMADD231PS Y1, Y12, Y7; \
	VSUBPS Y2, Y4, Y8; \
	VSUBPS Y1, Y3, Y9; \
	VADDPS Y9, Y9, Y9; \
	VMOVAPS Y4, Y10; \
	VFMADD231PS Y0, Y12, Y10; \
	VFNMADD231PS Y2, Y13, Y10; \
	VMOVAPS Y5, Y11; \
	VFMADD231PS Y1, Y12, Y11; \
	VFNMADD231PS Y3, Y13, Y11; \
	VADDPS Y7, Y6, Y14; \
	VSUBPS Y7, Y6, Y6; \
	VADDPS Y9, Y8, Y7; \
	VSUBPS Y9, Y8, Y8

// A row of six by six inputs at AX, transformed, to scratch at DX.
#define ROW(at) \
	LEAQ (AX)(R8*2), BX; \
	VMOVUPS (AX), Y0; \
	VMOVUPS (AX)(R8*1), Y1; \
	VMOVUPS (BX), Y2; \
	VMOVUPS (BX)(R8*1), Y3; \
	VMOVUPS 4(AX), Y4; \
	VMOVUPS 4(AX)(R8*1), Y5; \
	INPUTS; \
	VMOVUPS Y10, (at)(DX); \
	VMOVUPS Y14, (at+32)(DX); \
	VMOVUPS Y6, (at+64)(DX); \
	VMOVUPS Y7, (at+96)(DX); \
	VMOVUPS Y8, (at+128)(DX); \
	VMOVUPS Y11, (at+160)(DX)

// A column of what is in scratch, transformed, to AX and on; AX is then that of the next.
#define COLUMN(at) \
	VMOVUPS (at)(DX), Y0; \
	VMOVUPS (at+192)(DX), Y1; \
	VMOVUPS (at+384)(DX), Y2; \
	VMOVUPS (at+576)(DX), Y3; \
	VMOVUPS (at+768)(DX), Y4; \
	VMOVUPS (at+960)(DX), Y5; \
	INPUTS; \
	VMOVUPS Y10, (AX); \
	VMOVUPS Y14, (AX)(R10*1); \
	VMOVUPS Y6, (AX)(R10*2); \
	VMOVUPS Y7, (AX)(R11*1); \
	VMOVUPS Y8, (AX)(R10*4); \
	VMOVUPS Y11, (AX)(R12*1); \
	ADDQ R9, AX

// func winogradInputF32AVX2(v *float32, vs int, x *float32, plane, pitch, groups int, tmp *[288]float32)
TEXT ·winogradInputF32AVX2(SB), NOSPLIT, $0-56
	MOVQ v+0(FP), DI
	MOVQ vs+8(FP), R9
	SHLQ $2, R9
	MOVQ x+16(FP), SI
	MOVQ plane+24(FP), R8
	SHLQ $2, R8
	MOVQ pitch+32(FP), R13
	SHLQ $2, R13
	MOVQ groups+40(FP), CX
	ADDQ CX, CX
	MOVQ tmp+48(FP), DX
	LEAQ (R9)(R9*2), R10
	ADDQ R10, R10            // six products
	LEAQ (R10)(R10*2), R11   // of three rows
	LEAQ (R10)(R10*4), R12   // of five
	VBROADCASTSS winogradFour<>(SB), Y12
	VBROADCASTSS winogradFive<>(SB), Y13

group:
	MOVQ SI, AX
	ROW(0)
	LEAQ (AX)(R8*4), AX
	ROW(192)
	LEAQ (AX)(R8*4), AX
	ROW(384)
	LEAQ (AX)(R8*4), AX
	ROW(576)
	LEAQ (SI)(R13*1), AX
	ROW(768)
	LEAQ (AX)(R8*4), AX
	ROW(960)
	MOVQ DI, AX
	COLUMN(0)
	COLUMN(32)
	COLUMN(64)
	COLUMN(96)
	COLUMN(128)
	COLUMN(160)
	ADDQ $32, SI
	ADDQ $32, DI
	DECQ CX
	JNE group
	VZEROUPPER
	RET

// Six products, Y0 to Y5, become four outputs, Y10, Y11, Y14, Y0; Y12 is 2, Y13 is 4, Y15 is 8.
#define OUTPUTS \
	VADDPS Y2, Y1, Y6; \
	VSUBPS Y2, Y1, Y7; \
	VADDPS Y4, Y3, Y8; \
	VSUBPS Y4, Y3, Y9; \
	VADDPS Y6, Y0, Y10; \
	VADDPS Y8, Y10, Y10; \
	VMOVAPS Y7, Y11; \
	VFMADD231PS Y9, Y12, Y11; \
	VMOVAPS Y6, Y14; \
	VFMADD231PS Y8, Y13, Y14; \
	VMOVAPS Y7, Y0; \
	VFMADD231PS Y9, Y15, Y0; \
	VADDPS Y5, Y0, Y0

// A column of products at AX, made outputs, to scratch at DX; AX is then that of the next.
#define DOWN(at) \
	VMOVUPS (AX), Y0; \
	VMOVUPS (AX)(R10*1), Y1; \
	VMOVUPS (AX)(R10*2), Y2; \
	VMOVUPS (AX)(R11*1), Y3; \
	VMOVUPS (AX)(R10*4), Y4; \
	VMOVUPS (AX)(R12*1), Y5; \
	OUTPUTS; \
	VMOVUPS Y10, (at)(DX); \
	VMOVUPS Y11, (at+192)(DX); \
	VMOVUPS Y14, (at+384)(DX); \
	VMOVUPS Y0, (at+576)(DX); \
	ADDQ R9, AX

// A row of what is in scratch, made outputs, those of a tile together, to BX.
#define ACROSS(at) \
	VMOVUPS (at)(DX), Y0; \
	VMOVUPS (at+32)(DX), Y1; \
	VMOVUPS (at+64)(DX), Y2; \
	VMOVUPS (at+96)(DX), Y3; \
	VMOVUPS (at+128)(DX), Y4; \
	VMOVUPS (at+160)(DX), Y5; \
	OUTPUTS; \
	VUNPCKLPS Y11, Y10, Y1; \
	VUNPCKHPS Y11, Y10, Y2; \
	VUNPCKLPS Y0, Y14, Y3; \
	VUNPCKHPS Y0, Y14, Y4; \
	VUNPCKLPD Y3, Y1, Y5; \
	VUNPCKHPD Y3, Y1, Y6; \
	VUNPCKLPD Y4, Y2, Y7; \
	VUNPCKHPD Y4, Y2, Y8; \
	VPERM2F128 $0x20, Y6, Y5, Y1; \
	VPERM2F128 $0x20, Y8, Y7, Y2; \
	VPERM2F128 $0x31, Y6, Y5, Y3; \
	VPERM2F128 $0x31, Y8, Y7, Y4; \
	VMOVUPS Y1, (BX); \
	VMOVUPS Y2, 32(BX); \
	VMOVUPS Y3, 64(BX); \
	VMOVUPS Y4, 96(BX)

// func winogradOutputF32AVX2(z *float32, plane int, m *float32, ms, groups int, tmp *[288]float32)
TEXT ·winogradOutputF32AVX2(SB), NOSPLIT, $0-48
	MOVQ z+0(FP), DI
	MOVQ plane+8(FP), R8
	SHLQ $2, R8
	MOVQ m+16(FP), SI
	MOVQ ms+24(FP), R9
	SHLQ $2, R9
	MOVQ groups+32(FP), CX
	ADDQ CX, CX
	MOVQ tmp+40(FP), DX
	LEAQ (R9)(R9*2), R10
	ADDQ R10, R10
	LEAQ (R10)(R10*2), R11
	LEAQ (R10)(R10*4), R12
	VBROADCASTSS winogradTwo<>(SB), Y12
	VBROADCASTSS winogradFour<>(SB), Y13
	VBROADCASTSS winogradEight<>(SB), Y15

group:
	MOVQ SI, AX
	DOWN(0)
	DOWN(32)
	DOWN(64)
	DOWN(96)
	DOWN(128)
	DOWN(160)
	MOVQ DI, BX
	ACROSS(0)
	ADDQ R8, BX
	ACROSS(192)
	ADDQ R8, BX
	ACROSS(384)
	ADDQ R8, BX
	ACROSS(576)
	ADDQ $32, SI
	ADDQ $128, DI
	DECQ CX
	JNE group
	VZEROUPPER
	RET
