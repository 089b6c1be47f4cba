package lucid

// goldenMissing lists ops of the golden files that are deliberately absent, and why.
var goldenMissing = map[string]string{}

// goldenWaivers say why a case is deliberately answered otherwise than PyTorch does; each family adds its own from init.
var goldenWaivers []func(family string, c goldenCase) string

// goldenWaived returns the reason the first of them gives, "" if there is none.
func goldenWaived(family string, c goldenCase) string {
	for _, w := range goldenWaivers {
		if why := w(family, c); why != "" {
			return why
		}
	}
	return ""
}
