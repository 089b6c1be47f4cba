package profile

import (
	"fmt"
	"os"
	"time"
)

// What is done once and takes long (a library that is opened, a kernel that is compiled, an algorithm that is chosen by the clock)
// makes up most of a first step. LUCID_CUDA_TRACE=1 shows it on standard error: when it ended, how long it took, and what it was.

var shows, start = os.Getenv("LUCID_CUDA_TRACE") == "1", time.Now()

// Once shows something done once that began at a moment and ends now, if the environment asks for it.
func Once(from time.Time, format string, args ...any) {
	if shows {
		fmt.Fprintf(os.Stderr, "lucid: at %8.1f ms, took %8.1f ms: %s\n", ms(time.Since(start)), ms(time.Since(from)),
			fmt.Sprintf(format, args...))
	}
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }
