package bench

import (
	"math"
	"testing"

	"github.com/lucid-go/lucid"
)

// TestResnet trains a small one on the default device and sees its loss fall.
func TestResnet(t *testing.T) {
	j := resnet{batch: 4, size: 32, classes: 7, blocks: [4]int{1, 1}}.job()
	first := lucid.ToSlice[float64](j.result()[0])
	for range 5 {
		j.run()
	}
	last := lucid.ToSlice[float64](j.result()[0])
	if f, l := first[0], last[len(last)-1]; math.IsNaN(l) || l >= f {
		t.Errorf("the loss goes from %v to %v", f, l)
	}
	t.Log(first, last)
}
