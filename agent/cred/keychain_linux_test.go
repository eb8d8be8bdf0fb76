package cred_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/nodwyn/nodwyn/agent/cred"
)

func TestWithoutADesktopNoBusIsStarted(t *testing.T) {
	if _, err := os.Stat(fmt.Sprintf("/run/user/%d", os.Getuid())); err == nil {
		t.Skip("this user has a desktop session, whose keychain is not a test's to write to")
	}
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	if err := os.WriteFile(filepath.Join(dir, "dbus-launch"), []byte("#!/bin/sh\n: > "+started+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	s := cred.Open(cred.Config{File: filepath.Join(dir, "cred", "list.json")})
	register(t, s, "a", value("a"))
	checkList(t, s, cred.Entry{Class: "a", ID: cred.InFile})
	checkValue(t, s, "a", value("a"))
	if _, err := os.Stat(started); err == nil {
		t.Error("a message bus was started")
	}
}
