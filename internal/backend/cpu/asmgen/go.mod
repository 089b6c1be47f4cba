module github.com/lucid-go/lucid/internal/backend/cpu/asmgen

go 1.26
