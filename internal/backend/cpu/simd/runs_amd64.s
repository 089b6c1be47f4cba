//go:build !purego

#include "textflag.h"

// One run after the other: whole vectors, then one that ends where the run does and may overlap the one before it.
#define RUNS(width, bytes, v) \
	MOVQ z+0(FP), DI; \
	MOVQ x+8(FP), SI; \
	MOVQ step+16(FP), R8; \
	SHLQ $2, R8; \
	MOVQ run+24(FP), R9; \
	MOVQ count+32(FP), R10; \
value: \
	VBROADCASTSS (SI), v; \
	ADDQ R8, SI; \
	MOVQ R9, CX; \
	SUBQ $width, CX; \
vector: \
	VMOVUPS v, (DI); \
	ADDQ $bytes, DI; \
	SUBQ $width, CX; \
	JGE vector; \
	LEAQ (DI)(CX*4), DI; \
	VMOVUPS v, (DI); \
	ADDQ $bytes, DI; \
	DECQ R10; \
	JNZ value; \
	VZEROUPPER; \
	RET

// func repeatRunsAVX512(z, x *float32, step, run, count int)
TEXT ·repeatRunsAVX512(SB), NOSPLIT, $0-40
	RUNS(16, 64, Z0)

// func repeatRunsAVX2(z, x *float32, step, run, count int)
TEXT ·repeatRunsAVX2(SB), NOSPLIT, $0-40
	RUNS(8, 32, Y0)
