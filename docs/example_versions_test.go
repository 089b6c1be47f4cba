package docs_test

import (
	"fmt"
	"strings"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

type attention struct {
	nn.Base
	InProj *lucid.Tensor `nn:"in_proj"`
}

func (a *attention) StateVersion() int { return 2 }

func (a *attention) MigrateState(from int, d *lucid.StateDict) error {
	d.Set("in_proj", lucid.Cat([]*lucid.Tensor{d.Get("q"), d.Get("k"), d.Get("v")}, 0))
	for _, name := range []string{"q", "k", "v"} {
		d.Delete(name)
	}
	return nil
}

// A module whose state has versions: a piece of docs/files-across-versions.md.
func Example_versions() {
	old := lucid.NewStateDict()
	for i, name := range []string{"q", "k", "v"} {
		old.Set(name, lucid.Full([]int{1, 2}, i))
	}
	m := &attention{InProj: nn.Parameter(lucid.Zeros(3, 2))}
	fmt.Println(nn.LoadStateDict(m, old), m.InProj.Detach())
	fmt.Println(nn.StateDict(m).Version(""), nn.StateDict(m).Metadata())
	old.SetVersion("", 3)
	fmt.Println(strings.ReplaceAll(nn.LoadStateDict(m, old).Error(), "; ", ";\n"))
	// Output:
	// <nil> tensor([[0., 0.],
	//         [1., 1.],
	//         [2., 2.]])
	// 2 map[state_version:2]
	// lucid: load_state_dict: the file has version 3 of the state of module "*docs_test.attention";
	// this library knows versions 1 to 2;
	// it is newer: update the library
}
