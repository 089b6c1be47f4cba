package cpu

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/mem"
)

var table = backend.Table{}

// register adds kernels to the table; each family does so from init.
func register(t backend.Table) {
	for name, k := range t {
		if table[name] != nil {
			panic("lucid: internal: cpu has two kernels for " + name)
		}
		table[name] = k
	}
}

// Device is the one CPU.
var Device = (&backend.Device{Type: "cpu", Pool: mem.NewPool("cpu", mem.Host{}), Table: table, Host: true}).Implement(capabilities{})

func init() {
	backend.Register("cpu", func(int) (*backend.Device, error) { return Device, nil })
}
