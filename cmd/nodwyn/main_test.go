package main

import (
	"flag"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// update makes a scenario's cards what was seen, instead of comparing with them.
var update = flag.Bool("update", false, "rewrite the golden files from what was seen")

// TestMain lets the test binary be nodwyn itself when it is started under that name: every command of a scenario is a real process that runs the real main.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"nodwyn": main})
}

func TestScenarios(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		Setup:               setUp,
		Cmds:                verbs(),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}
