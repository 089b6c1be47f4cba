//go:build !purego

#include "textflag.h"

// One tap for 16 elements: the elements it adds to are a word of its mask, the others are neither read nor changed.
#define TAP(off, word, acc) \
	KMOVW word(R12)(R11*1), K1; \
	VMULPS.Z off(AX), Z4, K1, Z5; \
	VADDPS Z5, acc, K1, acc

// func sumTapsF32AVX512(z, x *float32, n, from int, taps *Tap, count int)
TEXT ·sumTapsF32AVX512(SB), NOSPLIT, $0-48
	MOVQ z+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ from+24(FP), AX
	LEAQ (SI)(AX*4), SI
	MOVQ taps+32(FP), R8
	MOVQ count+40(FP), R9
	XORQ R11, R11 // bytes into the masks

group:
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	MOVQ R8, BX
	MOVQ R9, DX
	CMPQ CX, $32
	JLE narrow

wide:
	MOVQ (BX), AX
	LEAQ (SI)(AX*4), AX // what the tap adds to the group's first element
	MOVQ 8(BX), R12
	VBROADCASTSS 16(BX), Z4
	TAP(0, 0, Z0)
	TAP(64, 2, Z1)
	TAP(128, 4, Z2)
	TAP(192, 6, Z3)
	ADDQ $32, BX
	DECQ DX
	JNZ wide
	JMP store

narrow:
	MOVQ (BX), AX
	LEAQ (SI)(AX*4), AX
	MOVQ 8(BX), R12
	VBROADCASTSS 16(BX), Z4
	TAP(0, 0, Z0)
	TAP(64, 2, Z1)
	ADDQ $32, BX
	DECQ DX
	JNZ narrow

store:
	CMPQ CX, $64
	JLT tail
	VMOVUPS Z0, (DI)
	VMOVUPS Z1, 64(DI)
	VMOVUPS Z2, 128(DI)
	VMOVUPS Z3, 192(DI)
	ADDQ $256, DI
	ADDQ $256, SI
	ADDQ $8, R11
	SUBQ $64, CX
	JNZ group
	VZEROUPPER
	RET

tail:
	MOVQ $-1, AX
	BZHIQ CX, AX, AX // a bit for each element that is left
	KMOVW AX, K1
	VMOVUPS Z0, K1, (DI)
	SHRQ $16, AX
	KMOVW AX, K1
	VMOVUPS Z1, K1, 64(DI)
	SHRQ $16, AX
	KMOVW AX, K1
	VMOVUPS Z2, K1, 128(DI)
	SHRQ $16, AX
	KMOVW AX, K1
	VMOVUPS Z3, K1, 192(DI)
	VZEROUPPER
	RET
