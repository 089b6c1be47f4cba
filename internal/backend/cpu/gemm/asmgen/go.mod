module github.com/lucid-go/lucid/internal/backend/cpu/gemm/asmgen

go 1.26
