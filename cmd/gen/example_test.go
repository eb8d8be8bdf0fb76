package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nodwyn/nodwyn/rpc/protocol"
)

// TestExampleIsValid: whoever copies the example finds its requests accepted, each of them answered once by the other side, and no method misspelt.
func TestExampleIsValid(t *testing.T) {
	known := []string{"initialize", "initialized", "shutdown", "exit"}
	for _, m := range protocol.Methods() {
		known = append(known, m.Name)
	}
	open := map[string]bool{}
	for _, s := range exampleSteps() {
		who := fmt.Sprint(s.fromClient, " ", s.id)
		switch {
		case s.method == "":
			asked := fmt.Sprint(!s.fromClient, " ", s.id)
			check(t, "request that answer "+who+" belongs to", fmt.Sprint(open[asked]), "true")
			delete(open, asked)
		case !slices.Contains(known, s.method):
			t.Errorf("there is no method %q", s.method)
		case s.id != 0:
			open[who] = true
		}
		if p, ok := s.body.(interface{ Validate() error }); ok && p.Validate() != nil {
			t.Errorf("params of %s: %v", s.method, p.Validate())
		}
	}
	check(t, "requests without an answer", fmt.Sprint(open), "map[]")
}
