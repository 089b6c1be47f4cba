package packages_test

import (
	"fmt"

	"github.com/lucid-go/lucid/doctor"
)

// A diagnosis: a piece of docs/packages/doctor.md.
func Example_doctorExamine() {
	d := doctor.Examine()
	fmt.Println(d.Threads > 0, len(d.Devices) > 1)
	// Output:
	// true true
}
