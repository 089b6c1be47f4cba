package lucid

import "testing"

func TestStreams(t *testing.T) {
	a, b := NewStream(), NewStream()
	x := Ones(1 << 16)
	var y, z *Tensor
	WithStream(a, func() {
		y = x.Mul(2)
		if err := EvalAsync(y); err != nil {
			t.Fatal(err)
		}
	})
	WithStream(b, func() {
		z = y.Add(1) // made from a value of the other stream
		if err := EvalAsync(z); err != nil {
			t.Fatal(err)
		}
	})
	a.Synchronize()
	b.Synchronize()
	Synchronize()
	if got := z.Sum().Item(); got != 3*(1<<16) {
		t.Errorf("got %v", got)
	}
}
