package ref

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
)

func init() {
	register(backend.Table{"table": func(_ *backend.Ctx, a attr.Attr, out, _ []backend.View) error {
		copy(out[0].Bytes(), a.(attr.Table).Data)
		return nil
	}})
}
