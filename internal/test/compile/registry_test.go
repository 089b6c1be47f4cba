package compile

import (
	"runtime"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/compile"
)

func TestCompiledFunctionsAreForgotten(t *testing.T) {
	before := compile.Remembered()
	for range 100 {
		lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return x.Add(1) })(lucid.Ones(2))
	}
	for range 20 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if got := compile.Remembered(); got > before+10 {
		t.Errorf("%d functions are remembered, %d before", got, before)
	}
}
