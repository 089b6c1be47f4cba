package ref

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/mem"
)

var table = backend.Table{}

// register adds kernels to the table; each family does so from init.
func register(t backend.Table) {
	for name, k := range t {
		if table[name] != nil {
			panic("lucid: internal: ref has two kernels for " + name)
		}
		table[name] = k
	}
}

// Device is the one reference device.
var Device = &backend.Device{Type: "ref", Pool: mem.NewPool("ref", mem.Host{}), Table: table, Host: true}

func init() {
	backend.Register("ref", func(int) (*backend.Device, error) { return Device, nil })
}
