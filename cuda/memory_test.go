package cuda

import (
	"errors"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestOutOfMemory: garbage is collected when the device has no more, what can never fit is an error, and afterwards all is well.
func TestOutOfMemory(t *testing.T) {
	dev := gpu(t)
	make8 := func() *lucid.Tensor {
		var x *lucid.Tensor
		lucid.WithDevice(dev, func() { x = lucid.Arange(2 << 30).To(lucid.Float32).Eval() }) // 8 GiB
		return x
	}
	d, err := device(0)
	if err != nil {
		t.Fatal(err)
	}
	free, total, err := d.Device.Free()
	if err != nil {
		t.Fatal(err)
	}
	for range int(total>>33) + 4 { // more than there is, none of it kept
		make8()
	}
	var held []*lucid.Tensor
	err = lucid.Try(func() {
		for range int(total>>33) + 1 {
			held = append(held, make8())
		}
	})
	if !errors.Is(err, lucid.ErrOutOfMemory) {
		t.Errorf("holding %d of 8 GiB each, of %d GiB: %v", len(held), free>>30, err)
	}
	if got := held[0].Narrow(0, 0, 1000).Sum().Item(); got != 999*500 {
		t.Errorf("what was held is %v", got)
	}
	for _, x := range held {
		x.Free()
	}
	if got := make8().Narrow(0, 5, 10).Sum().Item(); got != 95 {
		t.Errorf("afterwards: %v", got)
	}
	lucid.ClearCache(dev)
}
