module github.com/lucid-go/lucid/internal/gen/asm/gemm

go 1.26
