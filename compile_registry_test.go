package lucid

import (
	"runtime"
	"testing"
	"time"
)

func TestCompiledFunctionsAreForgotten(t *testing.T) {
	count := func() (n int) {
		compiledFuncs.Range(func(_, _ any) bool { n++; return true })
		return n
	}
	before := count()
	for range 100 {
		Compile(func(x *Tensor) *Tensor { return x.Add(1) })(Ones(2))
	}
	for range 20 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if got := count(); got > before+10 {
		t.Errorf("%d functions are remembered, %d before", got, before)
	}
}
