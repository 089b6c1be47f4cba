package data

import (
	"sync"

	"github.com/lucid-go/lucid"
)

// position is how far a loader is: which epoch, how many of its batches the loop has had, and the seed of its order.
type position struct {
	mu      sync.Mutex
	epoch   uint64 // of the pass under way, or the last one
	started bool   // epoch has been begun
	resume  bool   // the next pass goes on with it, by its seed, instead of beginning the one after
	batch   int    // of the pass under way; before it begins, where it will
	seed    uint64
}

// begin starts a pass and returns the seed of its order, its epoch, and how many batches to leave out.
func (p *position) begin(fixed *uint64) (seed uint64, epoch, skip int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.resume {
		p.resume = false
		return p.seed, int(p.epoch), p.batch
	}
	if p.started {
		p.epoch++
		p.batch = 0
	}
	p.started = true
	if fixed != nil {
		p.seed = *fixed ^ (p.epoch+1)*0x9e3779b97f4a7c15
	} else {
		k := lucid.ToSlice[uint32](lucid.DefaultGenerator().Key())
		p.seed = uint64(k[0])<<32 | uint64(k[1])
	}
	return p.seed, int(p.epoch), p.batch
}

func (p *position) advance() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.batch++
}

// SetEpoch makes the next All use the order of that epoch, from its first batch.
func (l *Loader) SetEpoch(epoch int) { l.Seek(epoch, 0) }

// Seek makes the next All begin at a batch of an epoch. The order is that of the epoch if Seed is set, else a new one: then
// StateDict is the way to go on.
func (l *Loader) Seek(epoch, batch int) {
	if epoch < 0 || batch < 0 {
		refuse(lucid.ErrValue, "loader", "epoch %d, batch %d; neither may be negative", epoch, batch)
	}
	l.at.mu.Lock()
	defer l.at.mu.Unlock()
	l.at.epoch, l.at.batch, l.at.started, l.at.resume = uint64(epoch), batch, false, false
}

// StateDict returns where the loader is: saved inside the loop, it stands after the batch the loop has in hand.
func (l *Loader) StateDict() *lucid.StateDict {
	l.at.mu.Lock()
	defer l.at.mu.Unlock()
	d := lucid.NewStateDict()
	v := []uint64{l.at.epoch, uint64(l.at.batch), l.at.seed, 0}
	if l.at.started {
		v[3] = 1
	}
	d.Set("position", lucid.New(v, len(v)))
	return d
}

// LoadStateDict brings a loader to where another was. The next All gives the batches that were left of the epoch, in the same
// order, with the same random numbers; none, if it had come to its end. Dataset, samplers and batch size must be as they were.
func (l *Loader) LoadStateDict(d *lucid.StateDict) error {
	t := d.Get("position")
	if t == nil || t.DType() != lucid.Uint64 || t.Dim() != 1 || t.Size(0) != 4 {
		return lucid.Errorf(lucid.ErrFormat, "loader", "the state has no position of a loader")
	}
	v := lucid.ToSlice[uint64](t)
	if v[1] > 1<<62 || v[3] > 1 {
		return lucid.Errorf(lucid.ErrFormat, "loader", "a position of epoch %d, batch %d cannot be", v[0], v[1])
	}
	l.at.mu.Lock()
	defer l.at.mu.Unlock()
	l.at.epoch, l.at.batch, l.at.seed, l.at.started, l.at.resume = v[0], int(v[1]), v[2], v[3] == 1, v[3] == 1
	return nil
}
