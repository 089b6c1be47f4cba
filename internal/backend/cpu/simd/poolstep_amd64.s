//go:build !purego

#include "textflag.h"

// 0, 1, 2, …
DATA ·ones+0(SB)/8, $0x0000000100000000
DATA ·ones+8(SB)/8, $0x0000000300000002
DATA ·ones+16(SB)/8, $0x0000000500000004
DATA ·ones+24(SB)/8, $0x0000000700000006
DATA ·ones+32(SB)/8, $0x0000000900000008
DATA ·ones+40(SB)/8, $0x0000000b0000000a
DATA ·ones+48(SB)/8, $0x0000000d0000000c
DATA ·ones+56(SB)/8, $0x0000000f0000000e
GLOBL ·ones(SB), RODATA|NOPTR, $64

// Two vectors of sixteen and of zeros, one after the other: element i of the first, then a zero.
DATA ·spreadLow+0(SB)/8, $0x0000001000000000
DATA ·spreadLow+8(SB)/8, $0x0000001000000001
DATA ·spreadLow+16(SB)/8, $0x0000001000000002
DATA ·spreadLow+24(SB)/8, $0x0000001000000003
DATA ·spreadLow+32(SB)/8, $0x0000001000000004
DATA ·spreadLow+40(SB)/8, $0x0000001000000005
DATA ·spreadLow+48(SB)/8, $0x0000001000000006
DATA ·spreadLow+56(SB)/8, $0x0000001000000007
GLOBL ·spreadLow(SB), RODATA|NOPTR, $64
DATA ·spreadHigh+0(SB)/8, $0x0000001000000008
DATA ·spreadHigh+8(SB)/8, $0x0000001000000009
DATA ·spreadHigh+16(SB)/8, $0x000000100000000a
DATA ·spreadHigh+24(SB)/8, $0x000000100000000b
DATA ·spreadHigh+32(SB)/8, $0x000000100000000c
DATA ·spreadHigh+40(SB)/8, $0x000000100000000d
DATA ·spreadHigh+48(SB)/8, $0x000000100000000e
DATA ·spreadHigh+56(SB)/8, $0x000000100000000f
GLOBL ·spreadHigh(SB), RODATA|NOPTR, $64

// The elements of SI that are R9 apart to Z1, as many as K1 has, CX of them left in the row, at most sixteen in DX. Z30
// are the multiples of the step, Z29 the numbers of the even elements. Sets Z1, uses R12, K2, K3, Z2; R13 is all ones.
#define LOADSTEP(even, any, done) \
	CMPQ R9, $2; \
	JEQ even; \
	JGT any; \
	VMOVUPS.Z (SI), K1, Z1; \
	JMP done; \
even: \
	LEAQ -1(DX)(DX*1), R12; \
	BZHIQ R12, R13, R12; \
	KMOVW R12, K2; \
	SHRQ $16, R12; \
	KMOVW R12, K3; \
	VMOVUPS.Z (SI), K2, Z1; \
	VMOVUPS.Z 64(SI), K3, Z2; \
	VPERMT2PS Z2, Z29, Z1; \
	JMP done; \
any: \
	KMOVW K1, K2; \
	VPXORD Z1, Z1, Z1; \
	VGATHERDPS (SI)(Z30*4), K2, Z1; \
done:

// Stores are of full vectors, also at the end of a row: masked stores are slow, and they defeat store forwarding. Lanes behind the end keep their value, or have a zero added.

// At most sixteen of CX elements: their number to DX, their mask to K1.
#define GROUP(few) \
	MOVQ CX, DX; \
	CMPQ DX, $16; \
	JLE few; \
	MOVQ $16, DX; \
few: \
	BZHIQ DX, R13, R12; \
	KMOVW R12, K1

// func maxStepF32AVX512(z *float32, at *int32, zrs int, x *float32, xrs, rows, n, step, base int)
TEXT ·maxStepF32AVX512(SB), NOSPLIT, $0-72
	MOVQ z+0(FP), DI
	MOVQ at+8(FP), R8
	MOVQ x+24(FP), SI
	MOVQ rows+40(FP), R11
	MOVQ step+56(FP), R9
	MOVQ $-1, R13
	VMOVDQU32 ·evens(SB), Z29
	VPBROADCASTD R9, Z30
	VPSLLD $4, Z30, Z28
	VPMULLD ·ones(SB), Z30, Z30
	MOVQ base+64(FP), AX
	VPBROADCASTD AX, Z27
	VPADDD Z30, Z27, Z27 // indices of the row
	MOVQ xrs+32(FP), AX
	VPBROADCASTD AX, Z26
	MOVQ R9, R10
	SHLQ $6, R10 // bytes of sixteen steps

row:
	MOVQ n+48(FP), CX
	MOVQ SI, AX
	MOVQ DI, BX
	VMOVDQA32 Z27, Z31

group:
	GROUP(few)
	LOADSTEP(even, any, done)
	VMOVUPS (DI), Z0
	VMOVDQU32 (R8), Z3
	VCMPPS $30, Z0, Z1, K1, K4
	VCMPPS $3, Z1, Z1, K1, K5
	KORW K4, K5, K4
	VMOVAPS Z1, K4, Z0
	VMOVDQA32 Z31, K4, Z3
	VMOVUPS Z0, (DI)
	VMOVDQU32 Z3, (R8)
	VPADDD Z28, Z31, Z31
	ADDQ $64, DI
	ADDQ $64, R8
	ADDQ R10, SI
	SUBQ $16, CX
	JGT group
	SUBQ BX, DI
	SUBQ DI, R8
	MOVQ zrs+16(FP), CX
	LEAQ (R8)(CX*4), R8
	LEAQ (BX)(CX*4), DI
	MOVQ xrs+32(FP), CX
	LEAQ (AX)(CX*4), SI
	VPADDD Z26, Z27, Z27
	DECQ R11
	JNE row
	VZEROUPPER
	RET

// func addStepF32AVX512(z *float32, zrs int, x *float32, xrs, rows, n, step int)
TEXT ·addStepF32AVX512(SB), NOSPLIT, $0-56
	MOVQ z+0(FP), DI
	MOVQ zrs+8(FP), R8
	MOVQ x+16(FP), SI
	MOVQ rows+32(FP), R11
	MOVQ step+48(FP), R9
	MOVQ $-1, R13
	VMOVDQU32 ·evens(SB), Z29
	VPBROADCASTD R9, Z30
	VPMULLD ·ones(SB), Z30, Z30
	MOVQ R9, R10
	SHLQ $6, R10

row:
	MOVQ n+40(FP), CX
	MOVQ SI, AX
	MOVQ DI, BX

group:
	GROUP(few)
	LOADSTEP(even, any, done)
	VADDPS (DI), Z1, Z1
	VMOVUPS Z1, (DI)
	ADDQ $64, DI
	ADDQ R10, SI
	SUBQ $16, CX
	JGT group
	LEAQ (BX)(R8*4), DI
	MOVQ xrs+24(FP), CX
	LEAQ (AX)(CX*4), SI
	DECQ R11
	JNE row
	VZEROUPPER
	RET

// func scatterStep2F32AVX512(z *float32, zrs int, x *float32, xrs, rows, n int)
TEXT ·scatterStep2F32AVX512(SB), NOSPLIT, $0-48
	MOVQ z+0(FP), DI
	MOVQ zrs+8(FP), R8
	MOVQ x+16(FP), SI
	MOVQ xrs+24(FP), R9
	MOVQ rows+32(FP), R11
	MOVQ $-1, R13
	VMOVDQU32 ·spreadLow(SB), Z29
	VMOVDQU32 ·spreadHigh(SB), Z30
	VPXORD Z31, Z31, Z31

row:
	MOVQ n+40(FP), CX
	MOVQ SI, AX
	MOVQ DI, BX

group:
	GROUP(few)
	VMOVUPS.Z (SI), K1, Z1
	VMOVAPS Z1, Z2
	VPERMT2PS Z31, Z29, Z1
	VPERMT2PS Z31, Z30, Z2
	VADDPS (DI), Z1, Z1
	VADDPS 64(DI), Z2, Z2
	VMOVUPS Z1, (DI)
	VMOVUPS Z2, 64(DI)
	ADDQ $128, DI
	ADDQ $64, SI
	SUBQ $16, CX
	JGT group
	LEAQ (BX)(R8*4), DI
	LEAQ (AX)(R9*4), SI
	DECQ R11
	JNE row
	VZEROUPPER
	RET

// func widenIndicesAVX512(z *int64, x *int32, n int)
TEXT ·widenIndicesAVX512(SB), NOSPLIT, $0-24
	MOVQ z+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX

group:
	VPMOVSXDQ (SI), Z0
	VMOVDQU64 Z0, (DI)
	ADDQ $32, SI
	ADDQ $64, DI
	SUBQ $8, CX
	JGT group
	VZEROUPPER
	RET

// func unpoolStepF32AVX512(z *float32, zrs int, x *float32, at *int32, xrs, rows, n, step, base, prs int)
TEXT ·unpoolStepF32AVX512(SB), NOSPLIT, $0-80
	MOVQ z+0(FP), DI
	MOVQ zrs+8(FP), R8
	MOVQ x+16(FP), SI
	MOVQ at+24(FP), R10
	MOVQ xrs+32(FP), R9
	MOVQ rows+40(FP), R11
	MOVQ step+56(FP), R15
	MOVQ $-1, R13
	VMOVDQU32 ·spreadLow(SB), Z29
	VMOVDQU32 ·spreadHigh(SB), Z30
	VPXORD Z31, Z31, Z31
	VPBROADCASTD R15, Z28
	VPMULLD ·ones(SB), Z28, Z27
	VPSLLD $4, Z28, Z28 // of sixteen steps
	MOVQ base+64(FP), AX
	VPBROADCASTD AX, Z26
	VPADDD Z27, Z26, Z27 // indices of the row
	MOVQ prs+72(FP), AX
	VPBROADCASTD AX, Z26
	SUBQ SI, R10

row:
	MOVQ n+48(FP), CX
	MOVQ SI, AX
	MOVQ DI, BX
	VMOVDQA32 Z27, Z25

group:
	GROUP(few)
	VMOVDQU32.Z (SI)(R10*1), K1, Z3
	VPCMPEQD Z25, Z3, K1, K1
	VMOVUPS.Z (SI), K1, Z1
	VPADDD Z28, Z25, Z25
	CMPQ R15, $1
	JEQ whole
	VMOVAPS Z1, Z2
	VPERMT2PS Z31, Z29, Z1
	VPERMT2PS Z31, Z30, Z2
	VADDPS 64(DI), Z2, Z2
	VMOVUPS Z2, 64(DI)
	VADDPS (DI), Z1, Z1
	VMOVUPS Z1, (DI)
	ADDQ $128, DI
	JMP next

whole:
	VADDPS (DI), Z1, Z1
	VMOVUPS Z1, (DI)
	ADDQ $64, DI

next:
	ADDQ $64, SI
	SUBQ $16, CX
	JGT group
	LEAQ (BX)(R8*4), DI
	LEAQ (AX)(R9*4), SI
	VPADDD Z26, Z27, Z27
	DECQ R11
	JNE row
	VZEROUPPER
	RET

// func narrowIndicesAVX512(z *int32, x *int64, n int)
TEXT ·narrowIndicesAVX512(SB), NOSPLIT, $0-24
	MOVQ z+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	MOVL $0x7fffffff, AX
	VPBROADCASTQ AX, Z2
	VPTERNLOGD $255, Z1, Z1, Z1

group:
	VMOVDQU64 (SI), Z0
	VPCMPUQ $2, Z2, Z0, K1 // at most the greatest; negative ones are greater
	VPMOVQD Z0, Y0
	VMOVDQA32 Y1, Y3
	VMOVDQA32 Y0, K1, Y3
	VMOVDQU32 Y3, (DI)
	ADDQ $64, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JGT group
	VZEROUPPER
	RET
