package ref

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/threefry"
)

func init() { register(backend.Table{"random_bits": randomBits}) }

func randomBits(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	keys := load(in[0])
	b := out[0].Bytes()
	n := len(b)
	if len(keys) > 2 {
		n = len(b) / (len(keys) / 2)
	}
	for i := 0; i+1 < len(keys); i += 2 {
		threefry.Fill(uint32(keys[i].I), uint32(keys[i+1].I), b[i/2*n:(i/2+1)*n])
	}
	return nil
}
