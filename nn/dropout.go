package nn

import (
	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// share checks the probability of a dropout, one half if it is not given.
func share(op string, p []float64) float64 {
	if len(p) == 0 {
		return 0.5
	}
	if len(p) > 1 || !(p[0] >= 0 && p[0] <= 1) {
		refuse(lucid.ErrValue, op, "p is %v; want one number from 0 to 1", p)
	}
	return p[0]
}

// Dropout sets elements to zero with probability P in training, and divides the others by 1-P.
type Dropout struct {
	Base
	P float64
}

// NewDropout returns it; without p, one half is dropped.
func NewDropout(p ...float64) *Dropout { return &Dropout{P: share("dropout", p)} }

// Forward drops in training, and passes x through in evaluation.
func (m *Dropout) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.Dropout(x, F.DropoutOptions{P: &m.P, Eval: !m.Training()}))
}

// Dropout1d drops whole channels of (B, C, L) in training.
type Dropout1d struct {
	Base
	P float64
}

// NewDropout1d returns it; without p, one half is dropped.
func NewDropout1d(p ...float64) *Dropout1d { return &Dropout1d{P: share("dropout1d", p)} }

// Forward drops in training, and passes x through in evaluation.
func (m *Dropout1d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.Dropout1d(x, F.DropoutOptions{P: &m.P, Eval: !m.Training()}))
}

// Dropout2d drops whole channels of (B, C, H, W) in training.
type Dropout2d struct {
	Base
	P float64
}

// NewDropout2d returns it; without p, one half is dropped.
func NewDropout2d(p ...float64) *Dropout2d { return &Dropout2d{P: share("dropout2d", p)} }

// Forward drops in training, and passes x through in evaluation.
func (m *Dropout2d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.Dropout2d(x, F.DropoutOptions{P: &m.P, Eval: !m.Training()}))
}

// Dropout3d drops whole channels of (B, C, D, H, W) in training.
type Dropout3d struct {
	Base
	P float64
}

// NewDropout3d returns it; without p, one half is dropped.
func NewDropout3d(p ...float64) *Dropout3d { return &Dropout3d{P: share("dropout3d", p)} }

// Forward drops in training, and passes x through in evaluation.
func (m *Dropout3d) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.Dropout3d(x, F.DropoutOptions{P: &m.P, Eval: !m.Training()}))
}

// AlphaDropout drops elements in training so that mean and variance of selu are preserved.
type AlphaDropout struct {
	Base
	P float64
}

// NewAlphaDropout returns it; without p, one half is dropped.
func NewAlphaDropout(p ...float64) *AlphaDropout { return &AlphaDropout{P: share("alpha_dropout", p)} }

// Forward drops in training, and passes x through in evaluation.
func (m *AlphaDropout) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.AlphaDropout(x, F.DropoutOptions{P: &m.P, Eval: !m.Training()}))
}

// FeatureAlphaDropout is AlphaDropout of whole channels.
type FeatureAlphaDropout struct {
	Base
	P float64
}

// NewFeatureAlphaDropout returns it; without p, one half is dropped.
func NewFeatureAlphaDropout(p ...float64) *FeatureAlphaDropout {
	return &FeatureAlphaDropout{P: share("feature_alpha_dropout", p)}
}

// Forward drops in training, and passes x through in evaluation.
func (m *FeatureAlphaDropout) Forward(x *lucid.Tensor) *lucid.Tensor {
	x = Enter(m, x)
	return Leave(m, x, F.FeatureAlphaDropout(x, F.DropoutOptions{P: &m.P, Eval: !m.Training()}))
}
