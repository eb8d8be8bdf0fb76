package main

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
)

// release is set by `make dist`; a build from a checkout names its commit instead.
var release = ""

func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "dev"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "dev-" + s.Value[:12]
		}
	}
	return "dev"
}

func printVersion(_ context.Context, c *console, args []string) error {
	if _, err := parse(c, flag.NewFlagSet("version", flag.ContinueOnError), args, 0, 0); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.out, "nodwyn %s %s %s\n", version(), runtime.Version(), platform())
	return err
}
