package attr

// Factor says how a matrix is factored or solved with; each op reads some of the fields.
type Factor struct {
	Upper     bool // the upper triangle is given or wanted
	Unit      bool // the diagonal counts as ones
	Full      bool // orthogonal factors are square
	Vectors   bool // vectors are wanted, and not values alone
	Adjoint   bool // solve with the conjugate transpose
	Hermitian bool
	NoPivot   bool // rows stay where they are
	Inverse   bool // the right side counts as the identity
	// Check is the function whose error a bad matrix is; empty: the info output tells of it.
	Check string
}
