package golden

import "strings"

func init() {
	waivers = append(waivers, func(family string, c Case) string {
		switch {
		case family != "linalg":
		case c.Op == "cholesky_solve" || c.Op == "cholesky_inverse":
			return "one triangle of the factor is read, so the other has no gradient; PyTorch gives it one"
		case c.Op == "linalg_cholesky" && strings.HasPrefix(c.Name, "complex") && strings.HasSuffix(c.Name, "upper"):
			return "the diagonal of a Hermitian matrix is real: PyTorch's gradient of it has an imaginary part of the other sign"
		case c.Op == "linalg_lstsq" && strings.HasSuffix(c.Name, "_rcond") && c.Attrs["driver"] != "gelsy":
			return "shapes do not depend on values: residuals are there also where the rank is not full"
		case c.Op == "renorm" && strings.HasPrefix(c.Name, "complex") && strings.HasSuffix(c.Name, "/inf"):
			return "PyTorch's gradient of the largest magnitude of complex numbers is NaN"
		}
		return ""
	})
}
