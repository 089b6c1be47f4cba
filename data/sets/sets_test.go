package sets

import (
	"bytes"
	"testing"

	"github.com/lucid-go/lucid"
)

func TestDigits(t *testing.T) {
	d, err := Digits()
	if err != nil {
		t.Fatal(err)
	}
	if s := d.X.Shape(); s[0] != 1797 || s[1] != 64 || len(d.Classes) != 10 || d.Classes[9] != "9" {
		t.Errorf("shape %v, classes %v", s, d.Classes)
	}
	if low, high := d.X.Min().Item(), d.X.Max().Item(); low != 0 || high != 16 {
		t.Errorf("pixels from %v to %v", low, high)
	}
	if first := lucid.ToSlice[int64](d.Y)[:3]; first[0] != 0 || first[1] != 1 || first[2] != 2 {
		t.Errorf("the first digits are %v", first)
	}
}

func TestOpticks(t *testing.T) {
	b, err := Opticks()
	if err != nil || len(b) != 567198 || !bytes.Contains(b, []byte("By Sir _ISAAC NEWTON_")) {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}
