package lucid

// goldenMissing lists ops of the golden files that are deliberately absent, and why.
var goldenMissing = map[string]string{}

// goldenWaivers holds what each family waives; the files golden_waived_*_test.go append to it from init.
var goldenWaivers []func(family string, c goldenCase) string

// goldenWaived says why one case is deliberately answered otherwise than PyTorch does; "" means it is not.
func goldenWaived(family string, c goldenCase) string {
	for _, f := range goldenWaivers {
		if why := f(family, c); why != "" {
			return why
		}
	}
	return ""
}
