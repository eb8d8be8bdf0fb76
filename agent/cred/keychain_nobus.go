//go:build !(dragonfly || freebsd || linux || netbsd || openbsd)

package cred

// reachable has nothing to find out: the keychain is part of the system.
func reachable() error { return nil }
