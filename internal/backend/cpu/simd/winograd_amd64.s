//go:build !purego

#include "textflag.h"

DATA winogradTwo<>+0(SB)/4, $0x40000000
GLOBL winogradTwo<>(SB), RODATA|NOPTR, $4
DATA winogradFour<>+0(SB)/4, $0x40800000
GLOBL winogradFour<>(SB), RODATA|NOPTR, $4
DATA winogradFive<>+0(SB)/4, $0x40a00000
GLOBL winogradFive<>(SB), RODATA|NOPTR, $4
DATA winogradEight<>+0(SB)/4, $0x41000000
GLOBL winogradEight<>(SB), RODATA|NOPTR, $4

// Six inputs in Z0 to Z5 become six in Z6 to Z11. Z31 is 4 and Z30 is 5.
#define INPUT6 \
	VMOVAPS Z4, Z6; \
	VFMADD231PS Z0, Z31, Z6; \
	VFNMADD231PS Z2, Z30, Z6; \
	VMOVAPS Z5, Z11; \
	VFMADD231PS Z1, Z31, Z11; \
	VFNMADD231PS Z3, Z30, Z11; \
	VMOVAPS Z4, Z12; \
	VFNMADD231PS Z2, Z31, Z12; \
	VMOVAPS Z3, Z13; \
	VFNMADD231PS Z1, Z31, Z13; \
	VADDPS Z13, Z12, Z7; \
	VSUBPS Z13, Z12, Z8; \
	VSUBPS Z2, Z4, Z12; \
	VSUBPS Z1, Z3, Z13; \
	VADDPS Z13, Z13, Z13; \
	VADDPS Z13, Z12, Z9; \
	VSUBPS Z13, Z12, Z10

// A row of a tile, whose first remainder is at AX, to six vectors from off(R14) on.
#define INPUTROW(off) \
	LEAQ (AX)(R9*2), BX; \
	VMOVUPS (AX), Z0; \
	VMOVUPS (AX)(R9*1), Z1; \
	VMOVUPS (BX), Z2; \
	VMOVUPS (BX)(R9*1), Z3; \
	VMOVUPS 4(AX), Z4; \
	VMOVUPS 4(AX)(R9*1), Z5; \
	INPUT6; \
	VMOVUPS Z6, (off+0)(R14); \
	VMOVUPS Z7, (off+64)(R14); \
	VMOVUPS Z8, (off+128)(R14); \
	VMOVUPS Z9, (off+192)(R14); \
	VMOVUPS Z10, (off+256)(R14); \
	VMOVUPS Z11, (off+320)(R14)

// A column of the six rows to products 6 apart, from DX on.
#define INPUTCOLUMN(off) \
	VMOVUPS (off+0)(R14), Z0; \
	VMOVUPS (off+384)(R14), Z1; \
	VMOVUPS (off+768)(R14), Z2; \
	VMOVUPS (off+1152)(R14), Z3; \
	VMOVUPS (off+1536)(R14), Z4; \
	VMOVUPS (off+1920)(R14), Z5; \
	INPUT6; \
	MOVQ DX, CX; \
	VMOVUPS Z6, (CX); \
	ADDQ R13, CX; \
	VMOVUPS Z7, (CX); \
	ADDQ R13, CX; \
	VMOVUPS Z8, (CX); \
	ADDQ R13, CX; \
	VMOVUPS Z9, (CX); \
	ADDQ R13, CX; \
	VMOVUPS Z10, (CX); \
	ADDQ R13, CX; \
	VMOVUPS Z11, (CX); \
	ADDQ R8, DX

// func winogradInputF32AVX512(v *float32, vs int, x *float32, plane, pitch, groups int)
TEXT ·winogradInputF32AVX512(SB), 0, $2368-48
	MOVQ v+0(FP), DI
	MOVQ vs+8(FP), R8
	SHLQ $2, R8
	LEAQ (R8)(R8*2), R13
	ADDQ R13, R13 // to the product below
	MOVQ x+16(FP), SI
	MOVQ plane+24(FP), R9
	SHLQ $2, R9
	MOVQ R9, R10
	SHLQ $2, R10 // to the next remainder of rows
	MOVQ pitch+32(FP), R11
	SHLQ $2, R11
	MOVQ groups+40(FP), R12
	LEAQ 63(SP), R14
	ANDQ $-64, R14
	VBROADCASTSS winogradFour<>(SB), Z31
	VBROADCASTSS winogradFive<>(SB), Z30

group:
	MOVQ SI, AX
	INPUTROW(0)
	ADDQ R10, AX
	INPUTROW(384)
	ADDQ R10, AX
	INPUTROW(768)
	ADDQ R10, AX
	INPUTROW(1152)
	LEAQ (SI)(R11*1), AX
	INPUTROW(1536)
	ADDQ R10, AX
	INPUTROW(1920)
	MOVQ DI, DX
	INPUTCOLUMN(0)
	INPUTCOLUMN(64)
	INPUTCOLUMN(128)
	INPUTCOLUMN(192)
	INPUTCOLUMN(256)
	INPUTCOLUMN(320)
	ADDQ $64, SI
	ADDQ $64, DI
	DECQ R12
	JNZ group
	VZEROUPPER
	RET

// Six products, in column AX, become four sums.
#define OUTPUTCOLUMN(y0, y1, y2, y3) \
	MOVQ AX, BX; \
	VMOVUPS (BX), Z0; \
	ADDQ R9, BX; \
	VMOVUPS (BX), Z1; \
	ADDQ R9, BX; \
	VMOVUPS (BX), Z2; \
	ADDQ R9, BX; \
	VMOVUPS (BX), Z3; \
	ADDQ R9, BX; \
	VMOVUPS (BX), Z4; \
	ADDQ R9, BX; \
	VMOVUPS (BX), Z5; \
	VADDPS Z2, Z1, Z6; \
	VSUBPS Z2, Z1, Z1; \
	VADDPS Z4, Z3, Z7; \
	VSUBPS Z4, Z3, Z3; \
	VADDPS Z6, Z0, y0; \
	VADDPS Z7, y0, y0; \
	VMOVAPS Z1, y1; \
	VFMADD231PS.BCST winogradTwo<>(SB), Z3, y1; \
	VMOVAPS Z6, y2; \
	VFMADD231PS.BCST winogradFour<>(SB), Z7, y2; \
	VMOVAPS Z1, y3; \
	VFMADD231PS.BCST winogradEight<>(SB), Z3, y3; \
	VADDPS Z5, y3, y3; \
	ADDQ R8, AX

// Six sums become four outputs of 16 tiles, which are brought in order and written to DX.
#define OUTPUTROW(m0, m1, m2, m3, m4, m5) \
	VADDPS m2, m1, Z4; \
	VSUBPS m2, m1, Z5; \
	VADDPS m4, m3, Z6; \
	VSUBPS m4, m3, Z7; \
	VADDPS Z4, m0, Z0; \
	VADDPS Z6, Z0, Z0; \
	VMOVAPS Z5, Z1; \
	VFMADD231PS.BCST winogradTwo<>(SB), Z7, Z1; \
	VMOVAPS Z4, Z2; \
	VFMADD231PS.BCST winogradFour<>(SB), Z6, Z2; \
	VMOVAPS Z5, Z3; \
	VFMADD231PS.BCST winogradEight<>(SB), Z7, Z3; \
	VADDPS m5, Z3, Z3; \
	VUNPCKLPS Z1, Z0, Z4; \
	VUNPCKHPS Z1, Z0, Z5; \
	VUNPCKLPS Z3, Z2, Z6; \
	VUNPCKHPS Z3, Z2, Z7; \
	VUNPCKLPD Z6, Z4, Z0; \
	VUNPCKHPD Z6, Z4, Z1; \
	VUNPCKLPD Z7, Z5, Z2; \
	VUNPCKHPD Z7, Z5, Z3; \
	VSHUFF32X4 $0x44, Z1, Z0, Z4; \
	VSHUFF32X4 $0x44, Z3, Z2, Z5; \
	VSHUFF32X4 $0xee, Z1, Z0, Z6; \
	VSHUFF32X4 $0xee, Z3, Z2, Z7; \
	VSHUFF32X4 $0x88, Z5, Z4, Z0; \
	VSHUFF32X4 $0xdd, Z5, Z4, Z1; \
	VSHUFF32X4 $0x88, Z7, Z6, Z2; \
	VSHUFF32X4 $0xdd, Z7, Z6, Z3; \
	VMOVUPS Z0, (DX); \
	VMOVUPS Z1, 64(DX); \
	VMOVUPS Z2, 128(DX); \
	VMOVUPS Z3, 192(DX); \
	ADDQ R10, DX

// func winogradOutputF32AVX512(z *float32, plane int, m *float32, ms, groups int)
TEXT ·winogradOutputF32AVX512(SB), NOSPLIT, $0-40
	MOVQ z+0(FP), DI
	MOVQ plane+8(FP), R10
	SHLQ $2, R10
	MOVQ m+16(FP), SI
	MOVQ ms+24(FP), R8
	SHLQ $2, R8
	LEAQ (R8)(R8*2), R9
	ADDQ R9, R9 // to the product below
	MOVQ groups+32(FP), R12

tiles:
	MOVQ SI, AX
	OUTPUTCOLUMN(Z8, Z14, Z20, Z26)
	OUTPUTCOLUMN(Z9, Z15, Z21, Z27)
	OUTPUTCOLUMN(Z10, Z16, Z22, Z28)
	OUTPUTCOLUMN(Z11, Z17, Z23, Z29)
	OUTPUTCOLUMN(Z12, Z18, Z24, Z30)
	OUTPUTCOLUMN(Z13, Z19, Z25, Z31)
	MOVQ DI, DX
	OUTPUTROW(Z8, Z9, Z10, Z11, Z12, Z13)
	OUTPUTROW(Z14, Z15, Z16, Z17, Z18, Z19)
	OUTPUTROW(Z20, Z21, Z22, Z23, Z24, Z25)
	OUTPUTROW(Z26, Z27, Z28, Z29, Z30, Z31)
	ADDQ $64, SI
	ADDQ $256, DI
	DECQ R12
	JNZ tiles
	VZEROUPPER
	RET

// func winogradRowsF32AVX512(dst *float32, plane, pitch, width int, src *float32, srs, first, last, from int, masks *uint64)
TEXT ·winogradRowsF32AVX512(SB), NOSPLIT, $0-80
	MOVQ dst+0(FP), DI
	MOVQ plane+8(FP), R8
	SHLQ $2, R8
	MOVQ pitch+16(FP), R9
	SHLQ $2, R9
	MOVQ src+32(FP), SI
	MOVQ from+64(FP), AX
	SHLQ $2, AX
	SUBQ AX, SI // where column 0 would be
	MOVQ srs+40(FP), R10
	SHLQ $2, R10
	MOVQ last+56(FP), R11
	VMOVDQU32 ·evens(SB), Z30
	VMOVDQU32 ·odds(SB), Z31
	MOVQ $-1, R13
	MOVQ first+48(FP), R14

row:
	MOVQ R14, AX
	ANDQ $3, AX
	SHLQ $2, AX
	IMULQ R8, AX
	MOVQ R14, BX
	SHRQ $2, BX
	IMULQ R9, BX
	ADDQ BX, AX
	ADDQ DI, AX // of the first remainder
	MOVQ SI, BX
	MOVQ width+24(FP), CX
	MOVQ masks+72(FP), DX

group:
	MOVQ (DX), R12
	KMOVW R12, K1
	SHRQ $16, R12
	KMOVW R12, K2
	SHRQ $16, R12
	KMOVW R12, K3
	SHRQ $16, R12
	KMOVW R12, K4
	VMOVUPS.Z (BX), K1, Z0
	VMOVUPS.Z 64(BX), K2, Z1
	VMOVUPS.Z 128(BX), K3, Z2
	VMOVUPS.Z 192(BX), K4, Z3
	VMOVAPS Z0, Z4
	VPERMT2PS Z1, Z30, Z0 // 0, 2, 4, …
	VPERMT2PS Z1, Z31, Z4 // 1, 3, 5, …
	VMOVAPS Z2, Z5
	VPERMT2PS Z3, Z30, Z2
	VPERMT2PS Z3, Z31, Z5
	VMOVAPS Z0, Z6
	VPERMT2PS Z2, Z30, Z0 // 0, 4, 8, …
	VPERMT2PS Z2, Z31, Z6 // 2, 6, 10, …
	VMOVAPS Z4, Z7
	VPERMT2PS Z5, Z30, Z4 // 1, 5, 9, …
	VPERMT2PS Z5, Z31, Z7 // 3, 7, 11, …
	MOVQ CX, R12
	CMPQ R12, $16
	JLE part
	MOVQ $16, R12

part:
	BZHIQ R12, R13, R12
	KMOVW R12, K5
	VMOVUPS Z0, K5, (AX)
	VMOVUPS Z4, K5, (AX)(R8*1)
	LEAQ (AX)(R8*2), R12
	VMOVUPS Z6, K5, (R12)
	VMOVUPS Z7, K5, (R12)(R8*1)
	ADDQ $64, AX
	ADDQ $256, BX
	ADDQ $8, DX
	SUBQ $16, CX
	JGT group
	ADDQ R10, SI
	INCQ R14
	CMPQ R14, R11
	JLT row
	VZEROUPPER
	RET

DATA winogradSixthNeg<>+0(SB)/8, $0xbfc5555555555555
GLOBL winogradSixthNeg<>(SB), RODATA|NOPTR, $8
DATA winogradSixth<>+0(SB)/8, $0x3fc5555555555555
GLOBL winogradSixth<>(SB), RODATA|NOPTR, $8
DATA winogradTwelfth<>+0(SB)/8, $0x3fb5555555555555
GLOBL winogradTwelfth<>(SB), RODATA|NOPTR, $8
DATA winograd24th<>+0(SB)/8, $0x3fa5555555555555
GLOBL winograd24th<>(SB), RODATA|NOPTR, $8
DATA winogradQuarter<>+0(SB)/8, $0x3fd0000000000000
GLOBL winogradQuarter<>(SB), RODATA|NOPTR, $8

// Three taps become six: o0 to o4, and c itself. Z27 to Z31 are -1/6, 1/24, 1/6, 1/12 and 1/4; uses Z21 to Z24.
#define TAPS3(a, b, c, o0, o1, o2, o3, o4) \
	VADDPD c, a, Z21; \
	VMULPD Z27, Z21, Z21; \
	VMULPD Z28, a, Z22; \
	VMULPD Z29, c, Z23; \
	VADDPD Z23, Z22, Z22; \
	VMULPD Z29, b, Z23; \
	VMULPD Z30, b, Z24; \
	VMULPD Z31, a, o0; \
	VSUBPD Z23, Z21, o1; \
	VADDPD Z23, Z21, o2; \
	VADDPD Z24, Z22, o3; \
	VSUBPD Z24, Z22, o4

// Tap i of eight kernels, as float64.
#define TAP(i, to, wide) \
	MOVQ (8*i)(DX), AX; \
	LEAQ (SI)(AX*4), AX; \
	KMOVW K1, K2; \
	VPXORD to, to, to; \
	VGATHERDPS (AX)(Y26*4), K2, to; \
	VCVTPS2PD to, wide

#define TAPCOLUMN(j, o0, o1, o2, o3, o4, o5) \
	TAP(j, Y18, Z18); \
	TAP((j+3), Y19, Z19); \
	TAP((j+6), Y20, Z20); \
	TAPS3(Z18, Z19, Z20, o0, o1, o2, o3, o4); \
	VMOVAPD Z20, o5

// The next product of eight kernels.
#define TAPSTORE(from, single) \
	VCVTPD2PS from, single; \
	VMOVUPS single, K1, (CX); \
	ADDQ R8, CX

#define TAPROW(a, b, c, last) \
	TAPS3(a, b, c, Z18, Z19, Z21, Z20, Z22); \
	TAPSTORE(Z18, Y18); \
	TAPSTORE(Z19, Y19); \
	TAPSTORE(Z21, Y21); \
	TAPSTORE(Z20, Y20); \
	TAPSTORE(Z22, Y22); \
	TAPSTORE(c, last)

// func winogradTapsF32AVX512(u *float32, us int, w *float32, at *[9]int, step, n int)
TEXT ·winogradTapsF32AVX512(SB), NOSPLIT, $0-48
	MOVQ u+0(FP), DI
	MOVQ us+8(FP), R8
	SHLQ $2, R8
	MOVQ w+16(FP), SI
	MOVQ at+24(FP), DX
	MOVQ step+32(FP), R9
	MOVQ n+40(FP), R10
	MOVQ $-1, R13
	VPBROADCASTD R9, Y26
	VPMULLD ·ones(SB), Y26, Y26 // the kernels
	SHLQ $5, R9 // bytes of eight of them
	VBROADCASTSD winogradSixthNeg<>(SB), Z27
	VBROADCASTSD winograd24th<>(SB), Z28
	VBROADCASTSD winogradSixth<>(SB), Z29
	VBROADCASTSD winogradTwelfth<>(SB), Z30
	VBROADCASTSD winogradQuarter<>(SB), Z31

group:
	MOVQ R10, R12
	CMPQ R12, $8
	JLE few
	MOVQ $8, R12

few:
	BZHIQ R12, R13, R12
	KMOVW R12, K1
	TAPCOLUMN(0, Z0, Z3, Z6, Z9, Z12, Z15)
	TAPCOLUMN(1, Z1, Z4, Z7, Z10, Z13, Z16)
	TAPCOLUMN(2, Z2, Z5, Z8, Z11, Z14, Z17)
	MOVQ DI, CX
	TAPROW(Z0, Z1, Z2, Y2)
	TAPROW(Z3, Z4, Z5, Y5)
	TAPROW(Z6, Z7, Z8, Y8)
	TAPROW(Z9, Z10, Z11, Y11)
	TAPROW(Z12, Z13, Z14, Y14)
	TAPROW(Z15, Z16, Z17, Y17)
	ADDQ R9, SI
	ADDQ $32, DI
	SUBQ $8, R10
	JGT group
	VZEROUPPER
	RET
