package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

func init() {
	add(&command{name: "version", short: "print the version of lucid and of Go", run: runVersion})
}

func runVersion(c *command, args []string, out io.Writer) error {
	if err := c.parse(c.flags(), args, 0, out); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "lucid %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// version is the module's, or the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	v := "devel"
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			v += " " + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			v += " (changed)"
		}
	}
	return v
}
