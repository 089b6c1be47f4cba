// Package kernels holds the CUDA sources, one file per family. They are compiled at run time by package nvrtc; a file may
// use what the files before it in a source declare.
package kernels

import "embed"

//go:embed *.cu
var files embed.FS

// Source concatenates files.
func Source(names ...string) string {
	s := ""
	for _, n := range names {
		b, err := files.ReadFile(n + ".cu")
		if err != nil {
			panic("lucid: internal: no kernel source " + n)
		}
		s += string(b) + "\n"
	}
	return s
}
