module github.com/lucid-go/lucid/internal/backend/cpu/lanes/asmgen

go 1.26

require github.com/lucid-go/lucid/internal/backend/cpu/asmgen v0.0.0

replace github.com/lucid-go/lucid/internal/backend/cpu/asmgen => ../../asmgen
