package cuda

import (
	"strings"

	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
)

// maskTile is how many mask elements a block takes: TILE of mask_compact.cu.
const maskTile = 8192

func maskSource(name string) string {
	return kernels.Source("prelude") + "#define " + strings.ToUpper(name) + "\n" + kernels.Source("mask_compact")
}

// compactMask writes the first k of rows of booleans in order, and their indices.
func (s *sorter) compactMask() error {
	tiles := blocks(s.n, maskTile)
	words, err := s.get(4 * s.rows * (tiles + 2))
	if err != nil {
		return err
	}
	total := words + uintptr(4*s.rows*tiles)
	ticket := total + uintptr(4*s.rows)
	if err := s.Fill(ticket, 0, 4*s.rows); err != nil {
		return err
	}
	var g args
	g.int(s.rows, s.n, s.step, s.k, number(s.flip), tiles)
	g.ptr(s.x, s.out, s.at, words, total, ticket)
	for _, name := range []string{"mask_count", "mask_scatter"} {
		f, err := s.kernel(name, name, func() string { return maskSource(name) })
		if err != nil {
			return err
		}
		if err := s.call.launch(f, s.rows*tiles, 1, threads, g); err != nil {
			return err
		}
	}
	return nil
}
