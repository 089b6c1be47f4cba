package lucid_test

// The tests of the package can run on a GPU: LUCID_TEST_DEVICE=cuda.
import _ "github.com/lucid-go/lucid/cuda"
