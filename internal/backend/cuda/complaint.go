package cuda

import (
	"math"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/fault"
)

// A kernel that meets a value it refuses, such as a position out of range, leaves it in a fault word, leaves out what it
// would have done, and goes on. Each launch has a word of its own in pinned memory, read when the evaluation ends.

// word is struct Fault of prelude.cu.
type word struct {
	code, _     uint32
	value, size int64
}

const (
	badPosition = 1
	byZero      = 2
	outOfDomain = 3 // value is the bits of a float64, size an attr.Rule

	numWords = 4096
)

// complaint is what a word says, nil if nothing.
func (w word) complaint(op string) error {
	switch w.code {
	case 0:
		return nil
	case byZero:
		return fault.New(fault.Value, op, "an integer is divided by zero")
	case outOfDomain:
		return backend.Refused(op, attr.Rule(w.size), math.Float64frombits(uint64(w.value)))
	}
	return fault.New(fault.Index, op, "position %d is out of range for size %d", w.value, w.size)
}

// words are a device's fault words that nobody uses.
type words struct {
	free chan *word
}

func newWords(d *Device) (*words, error) {
	b, err := d.Pinned(numWords * int(unsafe.Sizeof(word{})))
	if err != nil {
		return nil, err
	}
	w := &words{make(chan *word, numWords)}
	for i := range numWords {
		w.free <- (*word)(unsafe.Pointer(&b[i*int(unsafe.Sizeof(word{}))]))
	}
	return w, nil
}

// checked runs launches that may complain. The complaint is reported at the end of the evaluation, or at once if there
// is none to wait for.
func (d *Device) checked(c *backend.Ctx, op string, run func(word uintptr) error) error {
	switch d.face {
	case looking:
		return run(0)
	case recording:
		w, err := d.rec.word(c.Step, op)
		if err != nil {
			return err
		}
		return run(w)
	}
	w := <-d.words.free
	work := int64(0)
	check := func() error {
		err := d.Reached(work)
		bad := *w
		*w = word{}
		d.words.free <- w
		if err != nil {
			return err
		}
		return bad.complaint(op)
	}
	if err := run(uintptr(unsafe.Pointer(w))); err != nil {
		d.words.free <- w
		return err
	}
	var err error
	if work, err = d.Did(0); err != nil {
		return err
	}
	// An evaluation of very many such launches must not take all words.
	if c == nil || c.DeferCheck == nil || len(d.words.free) < numWords/4 {
		return check()
	}
	c.DeferCheck(check)
	return nil
}
