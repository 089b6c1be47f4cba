module github.com/lucid-go/lucid

go 1.26.0

require github.com/ebitengine/purego v0.11.2

require golang.org/x/text v0.43.0
