package mem

import "testing"

// lump is memory of a device, without end.
type lump struct{}

func (lump) Alloc(int) ([]byte, uintptr, error) { return nil, 4096, nil }
func (lump) Release([]byte, uintptr)            {}

// BenchmarkSmall is what a small piece of a device's memory costs, from asking for it to giving it back.
func BenchmarkSmall(b *testing.B) {
	p := NewPool("bench", lump{})
	b.ReportAllocs()
	for range b.N {
		x, err := p.Get("bench", 256)
		if err != nil {
			b.Fatal(err)
		}
		x.Free()
	}
}
