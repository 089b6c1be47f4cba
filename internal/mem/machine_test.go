package mem

import (
	"errors"
	"testing"

	"github.com/lucid-go/lucid/internal/fault"
)

// TestBeyondTheMachine: a system that promises more memory than there is would end the program when it is touched. What is
// refused does not count.
func TestBeyondTheMachine(t *testing.T) {
	most := int(MachineBytes())
	if most <= 0 {
		t.Skip("how much memory there is is not known here")
	}
	p, before := NewPool("test", Host{}), hostBytes.Load()
	var typed *fault.Error
	for _, n := range []int{most + 1, 1 << 46, 1 << 60} {
		if _, err := p.Get("test", n); !errors.As(err, &typed) || typed.Kind != fault.OutOfMemory {
			t.Errorf("%d bytes of %d: %v", n, most, err)
		}
	}
	if err := fits(int64(most/2), int64(most/2)+1); err == nil {
		t.Errorf("%d bytes in addition to as many are given, of %d", most/2, most)
	}
	b, _, err := Host{}.Alloc(1 << 20)
	if err != nil || hostBytes.Load() != before+1<<20 {
		t.Errorf("%d bytes are held after 1 MiB, %d before: %v", hostBytes.Load(), before, err)
	}
	if (Host{}).Release(b, 0); hostBytes.Load() != before {
		t.Errorf("%d bytes are held in the end, %d before", hostBytes.Load(), before)
	}
	if free, resident, ok := available(); ok && (free <= 0 || resident <= 0 || free > MachineBytes()*2) {
		t.Errorf("%d bytes free, %d resident, of %d", free, resident, most)
	}
}
