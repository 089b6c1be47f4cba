package llm

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/llm/model"
)

// pagePool is memory of keys and values in blocks of some positions. A text has a table of blocks, in its order; a block may be part of
// several texts that begin alike. Block 0 is for padding. The memory grows as it is needed. Methods are for one goroutine at a time.
type pagePool struct {
	m       *Model
	bits    int
	most    int             // blocks it may have, block 0 not counted
	tensors []*lucid.Tensor // as NewCache makes them
	taken   []bool          // by block; as many as tensors have
	used    int             // blocks that are taken, block 0 not counted
}

// firstPages is how many blocks a pool has when it is first used.
const firstPages = 64

// pageBytes is the memory of a block.
func (m *Model) pageBytes(bits int) int64 { return m.cacheBytes(model.PageTokens, bits) }

// pagesOf is how many blocks so many tokens take.
func pagesOf(tokens int) int { return (tokens + model.PageTokens - 1) / model.PageTokens }

// room is how many blocks can still be taken.
func (p *pagePool) room() int { return p.most - p.used }

// take returns a block: that behind another one if it is free, since blocks that follow each other are read faster, else one of the largest
// gap, in its middle if a text of so many blocks leaves room there for the text before.
func (p *pagePool) take(after, need int) (block int, err error) {
	if p.room() == 0 {
		return 0, fault.New(fault.OutOfMemory, op, "all %d blocks of keys and values are in use", p.most)
	}
	if at := after + 1; after > 0 && at < len(p.taken) && !p.taken[at] {
		block = at
	} else if block = p.gap(need); block == 0 {
		if err := p.grow(); err != nil {
			return 0, err
		}
		block = p.gap(need)
	}
	p.taken[block] = true
	p.used++
	return block, nil
}

// gap is a block of the largest gap, 0 if there is none.
func (p *pagePool) gap(need int) int {
	at, size := 0, 0
	for i := 0; i < len(p.taken); i++ {
		from := i
		for i < len(p.taken) && !p.taken[i] {
			i++
		}
		if i-from > size {
			at, size = from, i-from
		}
	}
	if size >= 2*need && at > 1 {
		at += size / 2
	}
	return at
}

// free gives a block back.
func (p *pagePool) free(block int) {
	p.taken[block] = false
	p.used--
}

// grow doubles the memory, up to the most.
func (p *pagePool) grow() error {
	blocks := min(p.most+1, max(firstPages, 2*len(p.taken)))
	more := blocks - len(p.taken)
	err := lucid.Try(func() {
		lucid.NoGrad(func() {
			fresh := p.m.newCacheOf(more*model.PageTokens, p.bits)
			if p.tensors == nil {
				p.tensors = fresh
			} else {
				for i, old := range p.tensors { // one at a time: there is never twice the memory
					p.tensors[i] = lucid.Cat([]*lucid.Tensor{old, fresh[i]}, 2)
					if err := lucid.Eval(p.tensors[i]); err != nil {
						fault.Rethrow(op, err)
					}
					freeAll([]*lucid.Tensor{old, fresh[i]})
				}
			}
		})
		p.taken = append(p.taken, make([]bool, more)...)
		p.taken[0] = true
	})
	if err != nil {
		return err
	}
	return p.copy(0, 0) // traces it: the first text that shares a block would wait for that
}

// copy writes the contents of a block to another one.
func (p *pagePool) copy(from, to int) error {
	rows := func(block int) []int64 {
		list := make([]int64, model.PageTokens)
		for i := range list {
			list[i] = int64(block*model.PageTokens + i)
		}
		return list
	}
	p.m.mu.Lock()
	defer p.m.mu.Unlock()
	return lucid.Try(func() {
		lucid.NoGrad(func() {
			w := lucid.With{Device: p.tensors[0].Device()}
			done := p.m.copyPage(p.tensors, w.New(rows(from), model.PageTokens), w.New(rows(to), model.PageTokens))
			if err := lucid.Eval(done); err != nil {
				fault.Rethrow(op, err)
			}
		})
	})
}

// close lets the memory go.
func (p *pagePool) close() {
	freeAll(p.tensors)
	p.tensors, p.taken, p.used = nil, nil, 0
}

// freeAll frees tensors.
func freeAll(list []*lucid.Tensor) {
	for _, t := range list {
		t.Free()
	}
}
