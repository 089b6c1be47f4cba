package backend

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// Instr is one op of a fused program: register Dst becomes Op(Src...).
type Instr struct {
	Op   string
	Attr attr.Attr
	Dst  int
	Src  [3]int // -1: none
}

// Fused is a program of elementwise ops over one iteration shape, that of its outputs. Registers 0 to len(In)-1 are the inputs; the
// others are made by the instructions in order.
type Fused struct {
	Shape  *shape.Shape
	DTypes []dtype.DType // of every register
	In     int           // number of inputs
	Instrs []Instr
	Out    []int // registers that are stored
	// Head computes an input register before the program runs over it, part by part. Its result is the first output,
	// before those of Out, and its operands are the last inputs, behind the In of the program. nil: none.
	Producer *Producer
	// Tail reduces a register while it is computed; its result is an output behind those of Out. nil: none.
	Reduction *Reduction
	// Prep is the device's own form of the program, made once.
	Prep any
	// Join, set by Prepare, names the code of a program that RunHorizontal takes: programs of one name differ in their operands and
	// their shape alone. "": it runs by itself.
	HorizontalKey string
}

// Code writes the program without its shape: programs of the same code compute the same from operands of any size.
func (p *Fused) Code() string {
	var b strings.Builder
	for _, d := range p.DTypes {
		b.WriteString(d.String())
		b.WriteByte(' ')
	}
	for _, ins := range p.Instrs {
		b.WriteString(ins.Op)
		for _, s := range ins.Src {
			b.WriteByte(',')
			b.WriteString(strconv.Itoa(s))
		}
		if ins.Attr != nil {
			fmt.Fprintf(&b, "%v", ins.Attr)
		}
		b.WriteByte(';')
	}
	for _, o := range p.Out {
		b.WriteByte('>')
		b.WriteString(strconv.Itoa(o))
	}
	for t := p.Reduction; t != nil; t = t.Next {
		fmt.Fprintf(&b, "/%s,%d", t.Op, t.Src)
	}
	return b.String()
}

// Head is a product at the start of a fused program, or what else a device makes there.
type Producer struct {
	Op     string
	Attr   attr.Attr
	Dst    int  // the input register it computes
	Stored bool // somebody wants the product itself
	// Unwritten is set by Prepare where the device makes the program's outputs without storing the product: its memory is
	// not there then.
	Unwritten bool
	// Apart is set by Prepare where no output may be written over an input.
	NoOverwrite bool
}

// Tail is a reduction at the end of a fused program.
type Reduction struct {
	Op   string
	Attr attr.Attr
	Src  int // the register it reads, made by an instruction; or an input, see Device.ReducesInputs
	// Next is another reduction over the same dimensions, on devices that fold several; its result follows this one's.
	Next *Reduction
}

// Tails counts the reductions at the program's end.
func (p *Fused) NumReductions() (n int) {
	for t := p.Reduction; t != nil; t = t.Next {
		n++
	}
	return n
}

// Rows is programs that run one behind the other over a few rows at a time: what one leaves the next finds in the cache.
type RowFusion struct {
	Count int // of rows
	Parts []RowFusionPart
	// Locals has, for every value that only the parts know, the bytes of a row: it has no memory beyond the rows at hand.
	Locals []int
}

// RowFusionPart is a program over rows of Len elements, one if it is over values that a row has one of. Its tails fold rows,
// and may read an input as it is; a program without instructions is nothing but its tails.
type RowFusionPart struct {
	*Fused
	Len     int
	Out, In []int // by operand: the local it is, -1: it lies in memory
}
