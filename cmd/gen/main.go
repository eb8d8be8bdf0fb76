// Command gen writes the reference pages from the comments of the types they describe: sessionlog/KINDS.md and rpc/protocol/PROTOCOL.md, and the wire's types for the two editors. With -check it writes nothing and fails when a page would change.
//
// Invariant: a page holds nothing but what stands in the sources, so that the two cannot disagree. A field or type without a comment is an error.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// page is one generated file, relative to the root of the module.
type page struct {
	path string
	make func(root string) ([]byte, error)
}

func pages() []page {
	return []page{
		{filepath.Join("sessionlog", "KINDS.md"), kindsPage},
		{filepath.Join("rpc", "protocol", "PROTOCOL.md"), protocolPage},
		{filepath.Join("editors", "nvim", "lua", "nodwyn", "protocol.lua"), luaTypes},
		{filepath.Join("editors", "vscode", "src", "protocol.ts"), typescriptTypes},
	}
}

func main() {
	check := flag.Bool("check", false, "fail when a page would change, and write nothing")
	root := flag.String("root", ".", "the root of the module")
	flag.Parse()
	if err := run(os.Stdout, *root, *check); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, root string, check bool) error {
	var failed error
	for _, p := range pages() {
		if err := p.update(out, root, check); err != nil {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// update writes a page that changed, or says that it did.
func (p page) update(out io.Writer, root string, check bool) error {
	want, err := p.make(root)
	if err != nil {
		return fmt.Errorf("make %s: %w", p.path, err)
	}
	file := filepath.Join(root, p.path)
	got, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("compare %s: %w", p.path, err)
	}
	if bytes.Equal(got, want) {
		return nil
	}
	if check {
		return fmt.Errorf("%s does not match the sources: run `make gen`", p.path)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", p.path, err)
	}
	if err := os.WriteFile(file, want, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", p.path, err)
	}
	_, err = fmt.Fprintln(out, "wrote", p.path)
	return err
}
