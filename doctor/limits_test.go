package doctor_test

import (
	"testing"

	"github.com/lucid-go/lucid/doctor"
)

func TestProber(t *testing.T) {
	var p doctor.Prober
	for range 2 {
		l, err := p.Measure()
		if err != nil {
			t.Fatal(err)
		}
		if l.FMA32 < 1e8 || l.FMA64 < 1e8 || l.BF16 < 1e8 || l.Read < 1e8 || l.Copy < 1e8 || l.StreamCopy < 1e8 {
			t.Errorf("%+v", l)
		}
	}
}
