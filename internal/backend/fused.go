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
	// Producer computes an input register, and the program is its epilogue: it runs over the result tile by tile. The result is the first
	// output, before those of Out; the producer's operands are the last inputs, behind the In of the program. nil: none.
	Producer *Producer
	// Reduction reduces a register while it is computed; its result is an output behind those of Out. nil: none.
	Reduction *Reduction
	// Prep is the device's own form of the program, made once.
	Prep any
	// HorizontalKey, set by Prepare, identifies the code of a program that RunHorizontal takes: programs with the same key differ in their
	// operands and their shape alone. "": it runs by itself.
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

// Producer is a matmul, a convolution or another op whose epilogue is a fused program.
type Producer struct {
	Op     string
	Attr   attr.Attr
	Dst    int  // the input register it computes
	Stored bool // the result itself outlives the plan
	// Unwritten is set by Prepare where the device computes the program's outputs without storing the producer's result, which has no
	// memory then.
	Unwritten bool
	// NoOverwrite is set by Prepare where no output may be written over an input.
	NoOverwrite bool
}

// Reduction is a reduction at the end of a fused program.
type Reduction struct {
	Op   string
	Attr attr.Attr
	Src  int // the register it reads, computed by an instruction; or an input, see ReductionFuser.ReducesInputs
	// Next is another reduction over the same dimensions, on devices that fuse several; its result follows this one's.
	Next *Reduction
}

// NumReductions counts the reductions at the program's end.
func (p *Fused) NumReductions() (n int) {
	for t := p.Reduction; t != nil; t = t.Next {
		n++
	}
	return n
}

// RowFusion is programs that run one behind the other over a few rows at a time: the next one finds the results in the cache.
type RowFusion struct {
	Count int // of rows
	Parts []RowFusionPart
	// Locals has, for every value that only the parts use, the bytes of a row: it has memory for the current rows alone.
	Locals []int
}

// RowFusionPart is a program over rows of Len elements; Len is 1 for values that have one element a row. Its reductions reduce rows, and
// may read an input; a program without instructions has only reductions.
type RowFusionPart struct {
	*Fused
	Len     int
	Out, In []int // by operand: the local it is, -1: it is in memory
}
