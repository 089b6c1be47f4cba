module github.com/lucid-go/lucid

go 1.26
