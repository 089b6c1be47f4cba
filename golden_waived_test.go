package lucid

// goldenMissing lists ops of the golden files that are deliberately absent, and why.
var goldenMissing = map[string]string{}

// goldenWaived says why one case is deliberately answered otherwise than PyTorch does; "" means it is not.
func goldenWaived(family string, c goldenCase) string {
	_, _ = family, c
	return ""
}
