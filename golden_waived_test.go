package lucid

// goldenMissing lists ops of the golden files that are deliberately absent, and why.
var goldenMissing = map[string]string{}

// goldenWaivers are the families' own lists; each adds its function from init.
var goldenWaivers []func(family string, c goldenCase) string

// goldenWaived says why one case is deliberately answered otherwise than PyTorch does; "" means it is not.
func goldenWaived(family string, c goldenCase) string {
	for _, w := range goldenWaivers {
		if why := w(family, c); why != "" {
			return why
		}
	}
	return ""
}
