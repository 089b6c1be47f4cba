package cuda

import (
	"fmt"
	"strings"

	"github.com/lucid-go/lucid/internal/backend/cuda/kernels"
	"github.com/lucid-go/lucid/internal/dtype"
)

// radixForm is what the kernels of radix.cu depend on. from: keys are made of elements; to: results are written; t matters
// to those alone. skips: digits equal in all keys are skipped.
type radixForm struct {
	t               dtype.DType
	key             string
	from, to, skips bool
}

func (f radixForm) source(name string, shifts []int) string {
	src := kernels.Source("prelude") +
		fmt.Sprintf("#define %s\n#define T %s\n#define K %s\n#define SPAN %d\n#define THREADS %d\n#define ITEMS %d\n#define BLOCKS %d\n",
			strings.ToUpper(name), ctype[f.t], f.key, radixSpan, radixThreads, radixTile(f.key)/radixThreads, radixBlocks)
	if f.from {
		src += "#define FROM\n"
	}
	if f.to {
		src += "#define TO\n"
	}
	if f.skips {
		src += "#define SKIPS\n"
	}
	if shifts != nil {
		src += fmt.Sprintf("#define DIGITS %d\n", len(shifts)) + "#define SHIFTS {" +
			strings.Trim(strings.ReplaceAll(fmt.Sprint(shifts), " ", ", "), "[]") + "}\n"
	}
	return src + kernels.Source("key", "radix")
}

// radixForm is that of the sorter's keys.
func (s *sorter) radixForm(from, to bool) radixForm {
	f := radixForm{t: s.t, key: keyOf(s.t), from: from, to: to}
	if !from && !to {
		if f.t = dtype.Uint32; f.key == "u64" {
			f.t = dtype.Uint64
		}
	}
	return f
}

// digits lists the shifts of the 8-bit digits, from the lowest, in which keys of a dtype differ: see Key in key.cu. Those
// of short integers repeat their sign, those of half types end with bits that follow from it.
func digits(t dtype.DType) []int {
	switch t {
	case dtype.Bool, dtype.Uint8:
		return []int{0}
	case dtype.Int8:
		return []int{0, 24}
	case dtype.Uint16:
		return []int{0, 8}
	case dtype.Int16:
		return []int{0, 8, 24}
	case dtype.BFloat16:
		return []int{16, 24}
	case dtype.Float16:
		return []int{8, 16, 24}
	}
	if t.Size() == 8 {
		return []int{0, 8, 16, 24, 32, 40, 48, 56}
	}
	return []int{0, 8, 16, 24}
}

// shifts are the digits in which the sorter's keys differ.
func (s *sorter) shifts() []int {
	all := digits(s.t)
	if s.bits > 0 {
		all = all[:min(len(all), blocks(s.bits, 8))]
	}
	return all
}

const (
	radixThreads = 512
	radixBlocks  = 2       // resident blocks a multiprocessor
	radixItems   = 12      // 32-bit keys a thread
	radixSpan    = 1 << 15 // keys a block counts
)

// radixTile is how many keys a block sorts: TILE of radix.cu.
func radixTile(key string) int {
	if key == "u64" {
		return radixThreads * radixItems / 2
	}
	return radixThreads * radixItems
}

// byDigits reports whether rows of n keys are radix sorted rather than merged: four digits cost less than sorting tiles,
// eight less than that and three merges, for large inputs. A state word holds 30 bits of count.
func (s *sorter) byDigits(n int) bool {
	const little = 1 << 17
	fits := n < 1<<30 && s.rows*blocks(n, radixTile(keyOf(s.t))) < longest
	return fits && n > tile && s.rows*n >= little && (len(s.shifts()) <= 4 || n > 4*tile)
}

// skips reports whether equal digits are looked for: integers of many digits, few and long rows.
func (s *sorter) skips(n int) bool {
	return s.t.IsInteger() && len(s.shifts()) >= 4 && s.rows <= 8 && n >= 1<<20
}

// radix sorts rows of n keys with their positions. from: keys are those of the elements in order; to: the results are
// written.
func (s *sorter) radix(n int, from, to bool) error {
	shifts, tiles := s.shifts(), blocks(n, radixTile(keyOf(s.t)))
	total, state := 4*256*s.rows, 4*256*s.rows*tiles // bytes for a digit
	skips := to && s.skips(n)
	words, err := s.get(len(shifts) * (total + state + 8))
	if err != nil {
		return err
	}
	if err := s.Fill(words, 0, len(shifts)*(total+state+8)); err != nil {
		return err
	}
	states := words + uintptr(len(shifts)*total)
	tickets := states + uintptr(len(shifts)*state)
	passes := tickets + uintptr(4*len(shifts))
	run := func(name string, f radixForm, of []int, pass, shift, blocks int) error {
		fn, err := s.kernel(fmt.Sprint(name, f, of), name, func() string { return f.source(name, of) })
		if err != nil {
			return err
		}
		var g args
		g.int(s.rows, n, s.step, s.k, number(s.flip), tiles)
		g.ptr(s.x, s.out, s.at, s.keys, s.idx, s.keys2, s.idx2)
		g.int(shift)
		g.ptr(words+uintptr(pass*total), states+uintptr(pass*state), tickets+uintptr(4*pass), passes+uintptr(4*pass))
		return s.call.launch(fn, blocks, 1, radixThreads, g)
	}
	if err := run("radix_count", s.radixForm(from, false), shifts, 0, 0, s.rows*blocks(n, radixSpan)); err != nil {
		return err
	}
	if skips {
		if err := run("radix_plan", radixForm{t: dtype.Uint32, key: "u32"}, shifts, 0, 0, 1); err != nil {
			return err
		}
	}
	for i, shift := range shifts {
		f := s.radixForm(from && i == 0, to && i == len(shifts)-1)
		f.skips = skips
		if err := run("radix_scatter", f, nil, i, shift, s.rows*tiles); err != nil {
			return err
		}
		if !skips {
			s.keys, s.keys2, s.idx, s.idx2 = s.keys2, s.keys, s.idx2, s.idx
		}
	}
	return nil
}
