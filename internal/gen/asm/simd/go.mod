module github.com/lucid-go/lucid/internal/gen/asm/simd

go 1.26
