package golden

// Missing lists ops of the golden files that are deliberately absent, and why.
var Missing = map[string]string{}

// waivers holds what each family waives; the files waived_*.go append to it from init.
var waivers []func(family string, c Case) string

// Waived says why one case is deliberately answered otherwise than PyTorch does; "" means it is not.
func Waived(family string, c Case) string {
	for _, f := range waivers {
		if why := f(family, c); why != "" {
			return why
		}
	}
	return ""
}
