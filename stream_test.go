package lucid_test

import (
	"testing"

	"github.com/lucid-go/lucid"
)

func TestStreams(t *testing.T) {
	a, b := lucid.NewStream(), lucid.NewStream()
	x := lucid.Ones(1 << 16)
	var y, z *lucid.Tensor
	lucid.WithStream(a, func() {
		y = x.Mul(2)
		if err := lucid.EvalAsync(y); err != nil {
			t.Fatal(err)
		}
	})
	lucid.WithStream(b, func() {
		z = y.Add(1) // made from a value of the other stream
		if err := lucid.EvalAsync(z); err != nil {
			t.Fatal(err)
		}
	})
	a.Synchronize()
	b.Synchronize()
	lucid.Synchronize()
	lucid.Synchronize(lucid.CPU)
	if got := z.Sum().Item(); got != 3*(1<<16) {
		t.Errorf("got %v", got)
	}
}
