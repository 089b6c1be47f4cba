module github.com/lucid-go/lucid/internal/backend/cpu/fft/asmgen

go 1.26
