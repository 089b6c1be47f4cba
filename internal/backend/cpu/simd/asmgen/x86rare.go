package main

import "fmt"

// rareVector is a copy of the loop body that kernel.rare stands in for, or some computed side by side.
type rareVector struct {
	copyNo, copies int
	masked         bool
}

// rarely is the body for vectors that the kernel's own cannot do.
func (k *kernel) rarely(t target) *B {
	b := &B{tgt: t}
	k.rare(b)
	return b
}

// vector writes one copy of the loop body, with a way out and back for a vector that it cannot do.
func (f *frame) vector(b *B) {
	if f.k.rare == nil {
		f.body(b)
		return
	}
	n := len(f.rare)
	f.rare = append(f.rare, rareVector{f.copyNo, 1, f.masked})
	f.stopLbl = fmt.Sprintf("rare%d", n)
	f.body(b)
	f.label("back%d", n)
}

// rareVectors writes what the copies leave to kernel.rare.
func (f *frame) rareVectors() {
	for n, v := range f.rare {
		f.copyNo, f.masked = v.copyNo, v.masked
		f.out.WriteString("\n")
		f.label("rare%d", n)
		f.body(f.k.rarely(f.tgt))
		f.p("JMP back%d", n)
	}
}
