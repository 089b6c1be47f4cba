module github.com/lucid-go/lucid

go 1.26

require github.com/ebitengine/purego v0.11.2
