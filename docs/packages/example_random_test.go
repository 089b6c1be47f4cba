package packages_test

import (
	"fmt"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/random"
)

// Keys: a piece of docs/packages/random.md.
func Example_randomKeys() {
	keys := random.Keys(random.Key(7), 3)
	dice := random.RandInt(keys[0], 1, 7, []int{5})
	fmt.Println(dice.Shape(), dice.Min().Item() >= 1, dice.Max().Item() <= 6)
	fmt.Println(lucid.Equal(random.Normal(keys[1], []int{3}), random.Normal(keys[2], []int{3})))
	// Output:
	// [5] true true
	// false
}
