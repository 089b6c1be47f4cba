//go:build !purego

#include "textflag.h"

// func goroutine() uintptr
TEXT ·goroutine(SB), NOSPLIT, $0-8
	MOVQ (TLS), AX      // the runtime keeps g in thread-local storage
	MOVQ AX, ret+0(FP)
	RET
