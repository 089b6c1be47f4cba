package cuda

import (
	"slices"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cuda/driver"
)

// fusedKernel finds or compiles the kernel of a program for the layouts of f.
func (d *Device) fusedKernel(c *backend.Ctx, q *program, f *form) (*driver.Function, error) {
	short, ok := f.short()
	if ok {
		if l := q.last.Load(); l != nil && l.form == short && l.of == d.shared {
			return l.f, nil
		}
	}
	key := "fused " + q.key + "|" + f.key()
	if c != nil && c.NoCompile && d.mode == running && !d.compiled(key) {
		return nil, backend.ErrNotCompiled
	}
	g := *f // the source may be generated later
	g.classes = slices.Clone(f.classes)
	fn, err := d.kernel(key, "fused", func() string {
		if q.Reduction != nil {
			if g.cols > 0 {
				return rowReductionSource(q, &g)
			}
			return columnReductionSource(q, &g)
		}
		return fusedSource(q, &g, 0)
	})
	if err == nil && ok && fn != nil {
		q.last.Store(&readied{short, d.shared, fn})
	}
	return fn, err
}
