module github.com/lucid-go/lucid/internal/backend/cpu/simd/asmgen

go 1.26
