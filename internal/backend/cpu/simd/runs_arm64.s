//go:build !purego

#include "textflag.h"

// func repeatRunsNEON(z, x *float32, step, run, count int)
//
// One run after the other: whole vectors, then one that ends where the run does and may overlap the one before it.
TEXT ·repeatRunsNEON(SB), NOSPLIT, $0-40
	MOVD z+0(FP), R0
	MOVD x+8(FP), R1
	MOVD step+16(FP), R2
	LSL  $2, R2, R2
	MOVD run+24(FP), R3
	MOVD count+32(FP), R4

value:
	MOVWU (R1), R5
	ADD   R2, R1, R1
	VDUP  R5, V0.S4
	SUB   $4, R3, R6

vector:
	VST1.P [V0.S4], 16(R0)
	SUBS   $4, R6, R6
	BGE    vector

	ADD  R6<<2, R0, R0
	VST1.P [V0.S4], 16(R0)
	SUBS $1, R4, R4
	BNE  value
	RET
