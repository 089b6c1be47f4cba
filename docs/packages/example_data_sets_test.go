package packages_test

import (
	"fmt"
	"log"

	"github.com/lucid-go/lucid/data/sets"
)

// What is there: a piece of docs/packages/data-sets.md.
func Example_dataSetsWhatIsThere() {
	digits, err := sets.Digits() // 1,797 handwritten digits of 8×8 pixels
	if err != nil {
		log.Fatal(err)
	}
	book, err := sets.Opticks() // Newton's Opticks
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(digits.X.Shape(), len(digits.Classes), len(book))
	// Output:
	// [1797 64] 10 567198
}
