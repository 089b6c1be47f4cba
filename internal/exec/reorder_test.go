package exec

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// randomProgram makes launches over buffers of some megabytes, in an order in which they can run: some elementwise, some
// prints.
func randomProgram(r *rand.Rand, dev *backend.Device, launches int) *Program {
	p := &Program{numIn: 1 + r.IntN(6)}
	shapes := make([]*shape.Shape, 5)
	for i := range shapes {
		shapes[i] = shape.Of("test", 1<<(16+2*i))
	}
	var of []*shape.Shape // by buffer
	buf := func(s *shape.Shape, first int32) int32 {
		p.bufs = append(p.bufs, bufInfo{dev: dev, size: 4 * s.Numel(), donor: -1, first: first, last: -1})
		of = append(of, s)
		return int32(len(p.bufs) - 1)
	}
	for range p.numIn {
		buf(shapes[r.IntN(len(shapes))], -1)
	}
	for k := range launches {
		s := step{op: fmt.Sprint("op", k), dev: dev}
		near := 1 + r.IntN(len(p.bufs))
		for range 1 + r.IntN(3) {
			b := int32(len(p.bufs) - 1 - r.IntN(near))
			s.in = append(s.in, operand{buf: b, dtype: dtype.Float32, shape: of[b]})
		}
		for n := 1 + r.IntN(8)/7; n > 0; n-- {
			o := of[s.in[0].buf]
			if r.IntN(2) == 0 {
				o = shapes[r.IntN(len(shapes))]
			}
			s.out = append(s.out, operand{buf: buf(o, int32(k)), dtype: dtype.Float32, shape: o})
		}
		switch r.IntN(5) {
		case 0:
			s.op, s.role = "print", graph.RolePrint
		case 1, 2:
			s.op, s.fused = "fused", &backend.Fused{In: len(s.in)}
		}
		for _, o := range s.in {
			p.bufs[o.buf].last = int32(k)
		}
		for _, o := range s.out {
			p.bufs[o.buf].last = int32(k)
		}
		p.steps = append(p.steps, s)
	}
	for i := p.numIn; i < len(p.bufs); i++ {
		if b := &p.bufs[i]; b.last == b.first || r.IntN(12) == 0 {
			b.keep = true
		}
	}
	return p
}

// simulate runs the launches over words instead of numbers: a buffer written over another one has its memory. It returns
// the words of what outlives the program, and what was printed.
func simulate(t *testing.T, p *Program) (stored map[int32]uint64, printed []uint64) {
	t.Helper()
	memory := make([]uint64, len(p.bufs))
	where := make([]int32, len(p.bufs))
	for i := range p.bufs {
		where[i] = int32(i)
		if d := p.bufs[i].donor; d >= 0 {
			where[i] = where[d]
		}
		if i < p.numIn {
			memory[i] = uint64(i)*0x9E3779B97F4A7C15 + 1
		}
	}
	for k := range p.steps {
		s := &p.steps[k]
		h := uint64(len(s.op))
		for _, o := range s.in {
			if f := p.bufs[o.buf].first; f >= int32(k) {
				t.Fatalf("launch %d reads what launch %d makes", k, f)
			}
			h = (h ^ memory[where[o.buf]]) * 0x100000001B3
		}
		if s.role == graph.RolePrint {
			printed = append(printed, h)
		}
		for i, o := range s.out {
			memory[where[o.buf]] = h + uint64(i)
		}
	}
	stored = map[int32]uint64{}
	for i := range p.bufs {
		if p.bufs[i].keep {
			stored[int32(i)] = memory[where[i]]
		}
	}
	return stored, printed
}

// TestOrder: in another order the launches of random programs give the same values and print the same, and what is alive
// at once never grows.
func TestOrder(t *testing.T) {
	dev := &backend.Device{Type: "cpu", Host: true}
	better := 0
	for seed := range uint64(400) {
		make1 := func() *planner {
			return &planner{prog: randomProgram(rand.New(rand.NewPCG(seed, 9)), dev, 4+int(seed*7%61))}
		}
		first, p := make1(), make1()
		first.findDonors()
		before := first.prog.peakBytes()
		want, printed := simulate(t, first.prog)
		p.findDonors()
		p.reorder()
		prog := p.prog
		after := prog.peakBytes()
		if after > before {
			t.Fatalf("seed %d: %d bytes are alive at once, before it were %d", seed, after, before)
		}
		if after < before {
			better++
		}
		got, shown := simulate(t, prog)
		for b, w := range want {
			if got[b] != w {
				t.Fatalf("seed %d: buffer %d has another value", seed, b)
			}
		}
		if !slices.Equal(printed, shown) {
			t.Fatalf("seed %d: prints come in another order", seed)
		}
		again := make1()
		again.findDonors()
		again.reorder()
		for k := range prog.steps {
			if prog.steps[k].out[0].buf != again.prog.steps[k].out[0].buf {
				t.Fatalf("seed %d: another order the second time", seed)
			}
		}
	}
	if better < 100 {
		t.Errorf("only %d of 400 programs hold less in the order found", better)
	}
}

// TestOrderOfChunks: parts of a sum whose terms have a large value behind them come one after the other, although all of
// them could begin at once; the update of a weight comes right behind its gradient.
func TestOrderOfChunks(t *testing.T) {
	dev := &backend.Device{Type: "cpu", Host: true}
	large, small := shape.Of("test", 1<<22), shape.Of("test", 1<<14)
	p := &planner{prog: &Program{numIn: 1, bufs: []bufInfo{{dev: dev, size: 1 << 24, donor: -1, first: -1, last: -1}}}}
	make1 := func(s *shape.Shape, in ...int32) int32 {
		st := step{op: "op", dev: dev}
		for _, b := range in {
			st.in = append(st.in, operand{buf: b, dtype: dtype.Float32, shape: large})
		}
		o := p.newBuf(dev, 4*s.Numel())
		st.out = []operand{{buf: o, dtype: dtype.Float32, shape: s}}
		p.addStep(st)
		return o
	}
	const chunks = 8
	var logits, grads, parts, sums []int32
	for range chunks {
		logits = append(logits, make1(large, 0))
	}
	for i := range chunks {
		grads = append(grads, make1(large, logits[i]))
	}
	for i := range chunks {
		parts = append(parts, make1(small, grads[i]))
	}
	for i := range chunks {
		sums = append(sums, make1(small, append([]int32{grads[i]}, sums[max(0, i-1):]...)...))
	}
	out := make1(small, append(parts, sums[chunks-1])...)
	p.prog.bufs[out].keep = true
	before := p.prog.peakBytes()
	p.findDonors()
	p.reorder()
	if got, want := p.prog.peakBytes(), 2*4<<22+chunks*4<<16; before < chunks*4<<22 || got > want {
		t.Errorf("%d bytes are alive at once, %d in the first order; want at most %d", got, before, want)
	}
}

// BenchmarkOrder is the search for an order of a thousand launches.
func BenchmarkOrder(b *testing.B) {
	dev := &backend.Device{Type: "cpu", Host: true}
	prog := randomProgram(rand.New(rand.NewPCG(1, 9)), dev, 1000)
	for b.Loop() {
		b.StopTimer()
		p := &planner{prog: &Program{bufs: slices.Clone(prog.bufs), steps: slices.Clone(prog.steps), numIn: prog.numIn}}
		b.StartTimer()
		p.findDonors()
		p.reorder()
	}
}
