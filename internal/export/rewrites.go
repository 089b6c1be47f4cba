package export

import (
	"strconv"

	"github.com/lucid-go/lucid/internal/dtype"
)

// The rewrites of this library, the newest last. When the meaning of an op changes, its Version grows by one, and a step from the
// version before is added here, with a file of that version in internal/test/files/testdata/ops. docs/files-across-versions.md has more.
func init() {
	RegisterRewrite("attention_grad", 1, attentionGrad1)
}

// attentionGrad1: version 1 took the sums along rows of the result times its cotangent, less the cotangent of the logarithms; version 2
// takes the result and that cotangent, and sums up itself. A result of zeros, and the sums with the other sign, give the same.
func attentionGrad1(r *Rewrite) {
	sums := r.In[5]
	negative := r.Add(Node{Op: "neg", Version: 1, In: []Value{sums}, Out: []Spec{r.SpecOf(sums)}})
	in := append([]Value{}, r.In[:5]...)
	in = append(in, r.full(0, r.SpecOf(r.In[0])), negative)
	r.In = append(in, r.In[6:]...)
	if r.Kind == "" {
		r.Kind = "Attention"
	}
	r.Set("Shifted", true)
}

// full adds a tensor of one number.
func (r *Rewrite) full(x float64, like Spec) Value {
	c := Node{Op: "const", Version: 1, Kind: "Const", Out: []Spec{ScalarSpec(like.DType)}}
	c.Set("DType", `"`+like.DType.String()+`"`)
	c.Set("Value", `{"Kind":`+strconv.Itoa(int(dtype.KindFloat))+`,"F":`+string(appendFloat(nil, x))+`}`)
	b := Node{Op: "broadcast_to", Version: 1, In: []Value{r.Add(c)}, Kind: "Shape", Out: []Spec{like}}
	b.Set("Dims", like)
	return r.Add(b)
}
