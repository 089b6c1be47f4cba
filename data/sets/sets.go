// Package sets holds the data the program brings along: handwritten digits and a book.
package sets

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the files
	"io"

	"github.com/lucid-go/lucid/data"
)

//go:embed digits.csv.gz
var digits []byte

//go:embed opticks.txt.gz
var opticks []byte

// Digits returns 1,797 handwritten digits: rows of 8×8 pixels from 0 to 16, and which digit each is.
func Digits() (*data.Table, error) {
	z, err := gzip.NewReader(bytes.NewReader(digits))
	if err != nil {
		return nil, err
	}
	return data.DecodeCSV(z)
}

// Opticks returns Newton's book.
func Opticks() ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(opticks))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}
