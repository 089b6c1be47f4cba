package cuda

import (
	"math"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/fault"
)

// A kernel that finds a value it refuses, such as an index out of range, writes it to its fault record, skips that element
// and goes on. Each launch has a record of its own in pinned memory, which the host reads when the evaluation ends.

// faultRecord is struct Fault of prelude.cu.
type faultRecord struct {
	code, _     uint32
	value, size int64
}

const (
	badPosition = 1
	byZero      = 2
	outOfDomain = 3 // value is the bits of a float64, size an attr.Rule
	badMatrix   = 4 // and more by the backend.MatrixFault; value is an info word, size the matrix of the batch, -1 if there is one

	numFaults = 4096
)

// err is the device error a record holds, nil if none.
func (w faultRecord) err(op string) error {
	switch w.code {
	case 0:
		return nil
	case byZero:
		return fault.New(fault.Value, op, "an integer is divided by zero")
	case outOfDomain:
		return backend.Refused(op, attr.Rule(w.size), math.Float64frombits(uint64(w.value)))
	}
	if w.code >= badMatrix {
		return backend.BadMatrix(op, backend.MatrixFault(w.code-badMatrix), int(w.size), int(w.value))
	}
	return fault.IndexError(op, w.value, w.size)
}

// faultRecords are a device's free fault records.
type faultRecords struct {
	free chan *faultRecord
}

func newFaultRecords(d *Device) (*faultRecords, error) {
	b, err := d.Pinned(numFaults * int(unsafe.Sizeof(faultRecord{})))
	if err != nil {
		return nil, err
	}
	w := &faultRecords{make(chan *faultRecord, numFaults)}
	for i := range numFaults {
		w.free <- (*faultRecord)(unsafe.Pointer(&b[i*int(unsafe.Sizeof(faultRecord{}))]))
	}
	return w, nil
}

// checked runs launches that may report a device error. It is returned when the evaluation ends, or at once outside an
// evaluation.
func (d *Device) checked(c *backend.Ctx, op string, run func(record uintptr) error) error {
	switch d.mode {
	case precompiling:
		return run(0)
	case capturing:
		w, err := d.rec.newFault(c.Step, op)
		if err != nil {
			return err
		}
		return run(w)
	}
	w := <-d.faults.free
	work := int64(0)
	check := func() error {
		err := d.Reached(work)
		bad := *w
		*w = faultRecord{}
		d.faults.free <- w
		if err != nil {
			return err
		}
		return bad.err(op)
	}
	if err := run(uintptr(unsafe.Pointer(w))); err != nil {
		d.faults.free <- w
		return err
	}
	var err error
	if work, err = d.Submitted(0); err != nil {
		return err
	}
	// An evaluation with very many such launches must not take all records.
	if c == nil || c.DeferCheck == nil || len(d.faults.free) < numFaults/4 {
		return check()
	}
	c.DeferCheck(check)
	return nil
}
